"""Replays of recorded calls on the true inputs."""

from typing import Any

from validation.harness.judge import replay_evidence
from validation.harness.judge.launcher_kernels import compiles
from validation.harness.judge.practical import PracticalBound
from validation.harness.judge.replay_evidence import JudgedReplay, Wanted
from validation.harness.plan.arguments import Inputs
from validation.harness.pool.children import Child, ChildAnswer
from validation.harness.report import Check
from validation.harness.session.entry_session import Session, Stopped
from validation.harness.session.recordings import Recordings, play_order


def replay(
    session: Session, child: Child, order: dict[str, Any], recordings: Recordings, inputs: Inputs,
    wanted: dict[int, Wanted],
) -> list[ChildAnswer]:  # fmt: skip
    """Return the child's answers with the runs of all trials: an answer for each batch of trials.

    A call that raised during its recording is added as a run with the exception.
    order: settings for a replayer.
    """
    answers: list[ChildAnswer] = []
    for batch in inputs.batches(session.limits.at_once):
        calls = [
            (trial, mode, recordings.of[trial.number][mode])
            for trial in batch.trials
            for mode in trial.modes
        ]
        playable = [(trial, mode, call) for trial, mode, call in calls if call.raised is None]
        more, blobs = play_order([(trial, call) for trial, _, call in playable], batch)
        for run, (trial, mode, _) in zip(more["runs"], playable, strict=True):
            run |= {"mode": mode, "written": list(wanted[trial.number].written)}
        answer = session.ask(child, "replayer", "answers", {**order, **more}, blobs)
        for run in answer.header["runs"]:
            # The recorder knows the state of the arguments, because it runs the launcher's Python.
            run["state"] = recordings.of[run["trial"]][run["mode"]].state
        answer.header["runs"] += [
            {"trial": trial.number, "mode": mode, "error": call.raised}
            for trial, mode, call in calls
            if call.raised is not None
        ]
        answers.append(answer)
    return answers


def judged(
    answers: list[ChildAnswer], inputs: Inputs, wanted: dict[int, Wanted], bound: PracticalBound
) -> list[JudgedReplay]:
    """Return the runs of all answers, compared with the reference's answers."""
    return [
        run
        for answer in answers
        for run in replay_evidence.outcomes(answer.header, answer.blobs, inputs, wanted, bound)
    ]


def compile_kernels(session: Session, recordings: Recordings) -> Check:
    """Compile the kernels of all recorded launches, in a process without Triton's interpreter,
    which patches Triton's language permanently."""
    programs = [one.program for one in recordings.every if one.raised is None]
    order = {**session.order("triton_code"), "programs": programs}
    try:
        with session.candidate("compiler") as child:
            answer = session.ask(child, "compiler", "compile", order)
    except Stopped as stopped:
        # A crash or timeout is the compiler's fault, because the kernels ran in the interpreter.
        return Check("compiles", None, f"not tried: {stopped.check.words}")
    return compiles(answer.header)
