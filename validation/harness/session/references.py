"""Requests to the reference's process: answers, and the effect of rounding on them."""

from typing import Any

from validation.harness.judge import replay_evidence
from validation.harness.judge.replay_evidence import Wanted
from validation.harness.plan.arguments import Inputs
from validation.harness.pool.children import ChildAnswer
from validation.harness.report import Check, Verdict
from validation.harness.sandbox.hostile_json import raised
from validation.harness.session.entry_session import Session, Stopped


def ask_reference(
    session: Session, inputs: Inputs, *, on_gpu: bool = False
) -> tuple[dict[int, Wanted], str]:
    """Return the reference's answers by trial number, and the device on which it ran.

    It runs on the CPU, unless an operation exists only on the GPU or takes too long on the CPU.

    on_gpu: skip the CPU, where a large matrix product takes minutes.
    """
    device = "cuda" if on_gpu and session.device == "cuda" else "cpu"
    try:
        answers = _answers(session, device, inputs)
        is_answered = device == session.device or not _refuses(answers, inputs)
    except Stopped as stopped:
        if device == session.device or stopped.check.verdict is not Verdict.TIMEOUT:
            raise
        is_answered = False
    if not is_answered:
        device = session.device
        answers = _answers(session, device, inputs)
    if "error" in answers[-1].header:
        words = f"python_code: {raised(answers[-1].header['error'])}"
        raise Stopped(Check("accuracy", Verdict.ERROR, words))
    wanted: dict[int, Wanted] = {}
    for answer in answers:
        wanted |= replay_evidence.wanted(answer.header, answer.blobs)
    for trial in inputs.trials:
        expected = wanted[trial.number]
        if trial.kind == "shown" and not trial.stands_in and expected.native is None:
            words = f"the reference raises on {trial.name}: {expected.refusal}"
            raise Stopped(Check("accuracy", Verdict.ERROR, words))
    return wanted, device


def add_rounding(
    session: Session, device: str, wanted: dict[int, Wanted], inputs: Inputs
) -> dict[int, Wanted]:
    """Return the answers with the effect of rounding added, or unchanged if that fails."""
    try:
        answers = _answers(session, device, inputs, widths=["rounded"])
    except Stopped:
        return wanted
    for answer in answers:
        wanted = replay_evidence.with_rounding(wanted, answer.header, answer.blobs)
    return wanted


def _answers(session: Session, device: str, inputs: Inputs, **more: Any) -> list[ChildAnswer]:
    """Return the answers of a new child, requested in batches to limit the memory of inputs."""
    answers: list[ChildAnswer] = []
    on_cpu = device == "cpu"
    with session.pool.reference() if on_cpu else session.candidate("reference") as child:
        for batch in inputs.batches(session.limits.at_once):
            order = {**session.order("python_code", device=device), **more}
            order["runs"] = [batch.request(trial) for trial in batch.trials]
            answer = session.ask(child, "reference", "answers", order, batch.blobs)
            answers.append(answer)
            if "error" in answer.header:
                break
    return answers


def _refuses(answers: list[ChildAnswer], inputs: Inputs) -> bool:
    """Return whether the reference raises for a shown case."""
    if "error" in answers[-1].header:
        return True
    shown = {trial.number for trial in inputs.trials if trial.kind == "shown"}
    runs = [run for answer in answers for run in answer.header["runs"]]
    return any(run["trial"] in shown and "error" in run["native"] for run in runs)
