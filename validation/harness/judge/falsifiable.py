"""Check 7: the entry's test can fail, and its reference's answer depends on the inputs."""

from collections.abc import Sequence
from typing import Any

from validation.harness.judge.replay_evidence import Wanted
from validation.harness.report import Check, Verdict
from validation.harness.sandbox.hostile_json import raised

# A test that misses only these damages is weak, not vacuous. The harness compares types and small
# errors itself, and some answers are only defined up to their sign or the order of rows.
MINOR = ("another type", "small relative error", "sign flipped", "two rows swapped")


def falsifiable(
    survey: dict[str, Any], wanted: dict[int, Wanted], shown: Sequence[int],
    differing: Sequence[list[int]],
) -> Check:  # fmt: skip
    """Return check 7.

    survey: the damage to the reference's answers that the test noticed or missed.
    shown: numbers of the trials that are cases of the entry.
    differing: groups of trials that differ only in their values.
    """
    numbers = {key: survey.get(key) for key in ("tests", "noticed", "unnoticed", "without_effect")}
    verdict, words = _verdict(survey, wanted, shown, differing, numbers)
    return Check("falsifiable", verdict, words, numbers)


def _verdict(
    survey: dict[str, Any], wanted: dict[int, Wanted], shown: Sequence[int],
    differing: Sequence[list[int]], numbers: dict[str, Any],
) -> tuple[Verdict, str]:  # fmt: skip
    if survey.get("control"):
        words = f"the test fails for the reference itself: {raised(survey['control'])}"
        return Verdict.FAILED, words
    if not survey.get("noticed") and not survey.get("unnoticed"):
        if survey.get("called"):
            return Verdict.VACUOUS, "the reference returns nothing that could be damaged"
        return Verdict.VACUOUS, "the test never calls the candidate"
    noticed, unnoticed = list(survey["noticed"]), list(survey["unnoticed"])
    numbers["test_strength"] = f"{len(noticed)} of {len(noticed) + len(unnoticed)}"
    if serious := [name for name in unnoticed if not name.startswith(MINOR)]:
        return Verdict.VACUOUS, f"the test does not notice: {', '.join(serious)}"
    if all(_is_empty(wanted[number]) for number in shown):
        return Verdict.VACUOUS, "every case has an empty answer"
    if ignores_inputs(wanted, differing):
        words = "every seed gives the same answer: the inputs are constants or are ignored"
        return Verdict.VACUOUS, words
    words = f"the test notices {numbers['test_strength']} kinds of damage"
    if unnoticed:
        words += f", not: {', '.join(unnoticed)}"
    return Verdict.PASSED, words


def ignores_inputs(wanted: dict[int, Wanted], differing: Sequence[list[int]]) -> bool:
    """Return whether all trials of each group have the same answer."""
    groups = []
    for numbers in differing:
        answers = [
            answer.native.contents()
            for number in numbers
            if (answer := wanted.get(number)) and answer.native is not None
        ]
        if len(answers) > 1 and any(any(parts) for parts in answers):
            groups.append(all(answer == answers[0] for answer in answers))
    return bool(groups) and all(groups)


def _is_empty(answer: Wanted) -> bool:
    tensors = answer.native.tensors() if answer.native else []
    return bool(tensors) and not any(len(leaf.raw) for leaf in tensors)
