"""Replays of recorded calls on the true inputs."""

from typing import Any

from validation.harness.judge.launcher_kernels import compiles
from validation.harness.judge.replay_evidence import Wanted
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.trial_plan import Trial
from validation.harness.pool.children import Child, ChildAnswer
from validation.harness.report import Check
from validation.harness.session.entry_session import Session, Stopped
from validation.harness.session.recordings import Recorded, Recordings, with_constants


def replay(
    session: Session, child: Child, order: dict[str, Any], recordings: Recordings, inputs: Inputs,
    wanted: dict[int, Wanted],
) -> list[ChildAnswer]:  # fmt: skip
    """Return the child's answers with the runs of all trials, in batches.

    A call that raised during its recording is added as a run with the exception.
    order: settings for a replayer.
    """
    answers: list[ChildAnswer] = []
    for batch in inputs.batches(session.limits.at_once):
        tasks: list[tuple[Trial, dict[str, Recorded]]] = []
        raising = []
        for trial in batch.trials:
            of_mode = {mode: recordings.of[trial.number][mode] for mode in trial.modes}
            raising += [
                {"trial": trial.number, "mode": mode, "error": recorded.raised}
                for mode, recorded in of_mode.items()
                if recorded.raised is not None
            ]
            playable = {mode: call for mode, call in of_mode.items() if call.raised is None}
            tasks.append((trial, playable))
        every = (recorded for _, of_mode in tasks for recorded in of_mode.values())
        programs, blobs, places = with_constants(every, batch)
        trials = [
            {
                "number": trial.number, "modes": list(of_mode),
                "recordings": {mode: places[id(call)] for mode, call in of_mode.items()},
                "arguments": batch.arguments[trial.number],
                "written": list(wanted[trial.number].written),
                "expanded": trial.expands_gradients,
            }
            for trial, of_mode in tasks
        ]  # fmt: skip
        more = {**order, "trials": trials, "programs": programs}
        answer = session.ask(child, "replayer", "answers", more, blobs)
        for run in answer.header["runs"]:
            # The recorder knows the state of the arguments: it runs the launcher's Python.
            run["state"] = recordings.of[run["trial"]][run["mode"]].state
        answer.header["runs"] += raising
        answers.append(answer)
    return answers


def compile_kernels(session: Session, recordings: Recordings) -> Check:
    """Compile the kernels of all recorded launches, in a process without Triton's interpreter,
    which patches Triton's language permanently."""
    programs = [one.program for one in recordings.every if one.raised is None]
    order = {**session.order("triton_code"), "programs": programs}
    try:
        with session.candidate("compiler") as child:
            answer = session.ask(child, "compiler", "compile", order)
    except Stopped as stopped:
        # A crash or timeout is the compiler's fault: the kernels ran in the interpreter.
        return Check("compiles", None, f"not tried: {stopped.check.words}")
    return compiles(answer.header)
