"""Replays of recorded calls on the true inputs."""

from typing import Any

from validation.harness.judge.launcher_kernels import compiles
from validation.harness.judge.replay_evidence import Wanted
from validation.harness.plan.arguments import Inputs
from validation.harness.pool.children import Child, ChildAnswer
from validation.harness.report import Check
from validation.harness.session.entry_session import Session, Stopped, reading
from validation.harness.session.recordings import Recorded, Recordings, with_constants


def replay(
    session: Session, child: Child, order: dict[str, Any], recordings: Recordings, inputs: Inputs,
    wanted: dict[int, Wanted],
) -> list[ChildAnswer]:  # fmt: skip
    """Return the runs of all trials, batch by batch. A call that raised while it was recorded has
    no run; its error stands in for one.

    order: what a new replayer needs to begin, or empty for one that has begun.
    """
    answers: list[ChildAnswer] = []
    for batch in inputs.batches(session.limits.at_once):
        places: dict[int, int] = {}
        programs: list[Recorded] = []
        tasks, raising = [], []
        for trial in batch.trials:
            of_mode = {}
            for mode in trial.modes:
                recorded = recordings.of[trial.number][mode]
                if recorded.raised is not None:
                    raising.append((trial, mode, recorded.raised))
                    continue
                if id(recorded) not in places:
                    places[id(recorded)] = len(programs)
                    programs.append(recorded)
                of_mode[mode] = places[id(recorded)]
            tasks.append({
                "number": trial.number, "modes": list(of_mode), "recordings": of_mode,
                "arguments": batch.arguments[trial.number],
                "written": list(wanted[trial.number].written),
                "expanded": trial.expands_gradients,
            })  # fmt: skip
        used = {place for place, blob in enumerate(batch.blobs) if len(blob)}
        held, blobs = with_constants(programs, batch.blobs, used)
        more = {**order, "trials": tasks, "programs": held}
        begin = "replayer" if order and not answers else ""
        answer = session.ask(child, begin, "answers", more, blobs, role="replayer")
        for run in answer.header["runs"]:
            # Only the recorder runs the launcher's own Python.
            run["state"] = recordings.of[run["trial"]][run["mode"]].state
        answer.header["runs"] += [
            {"trial": trial.number, "mode": mode, "error": error} for trial, mode, error in raising
        ]
        answers.append(answer)
    return answers


def compile_kernels(session: Session, recordings: Recordings) -> Check:
    """Compile the kernels of all recorded launches, in a process that never interpreted one: Triton
    leaves its language changed."""
    programs = [one.program for one in recordings.every if one.raised is None]
    order = {**session.order("triton_code"), "programs": programs}
    try:
        with session.candidate("compiler") as child:
            answer = session.ask(child, "compiler", "compile", order)
    except Stopped as stopped:
        # A crash or a timeout is the compiler's: the kernels have run.
        return Check("compiles", None, f"not tried: {stopped.check.words}")
    with reading("compiles"):
        return compiles(answer.header)
