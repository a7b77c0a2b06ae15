"""Choice of the trials that count, after the reference's answer, and of those that run again."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from validation.harness import plan
from validation.harness.arguments import shapes
from validation.harness.judge.evidence import Outcome, Wanted
from validation.harness.judge.numbers import Numbers

SECOND_LOOKS = 3
# A share of the largest value, far above the rounding of any type without cancellation.
ROUNDING = 0.03
ROUNDED = ("float32", "float16", "bfloat16")


def counted(trials: list[plan.Trial], wanted: dict[int, Wanted]) -> list[plan.Trial]:
    """Return the trials that the reference answers.

    In a group only one counts: the first with a finite answer that is more than rounding, or the
    first with a finite answer.
    """
    kept, groups = [], set()
    shown = [trial.number for trial in trials if trial.kind == "shown"]
    significant = {trial.group for trial in trials if _is_significant(wanted.get(trial.number))}
    for trial in trials:
        answer = wanted.get(trial.number)
        if answer is None or answer.native is None:
            continue
        if trial.kind in ("values", "huge", "habit"):
            if trial.group in groups or _overflows(answer):
                continue
            if trial.group and trial.group in significant and not _is_significant(answer):
                continue
            if trial.group:
                groups.add(trial.group)
        kept.append(trial)
    idle = {shown[-1], shown[len(shown) // 2]}
    return [
        replace(trial, modes=(*trial.modes, "idle")) if trial.number in idle else trial
        for trial in kept
    ]


def affordable(
    trials: list[plan.Trial], arguments: dict[int, Any], wanted: dict[int, Wanted], device: str
) -> list[plan.Trial]:
    """Leave out varied cases that are larger than any shown one: the interpreter is slow."""

    def elements(trial: plan.Trial) -> int:
        native = wanted[trial.number].native
        outputs = [leaf.shape for leaf in native.tensors()] if native else []
        return sum(math.prod(shape) for shape in (*shapes(arguments[trial.number]), *outputs))

    sizes = {trial.number: elements(trial) for trial in trials}
    shown = max(sizes[trial.number] for trial in trials if trial.kind == "shown")
    most = max(shown if device == "interpreter" else 4 * shown, plan.MOST[device])
    return [trial for trial in trials if trial.kind == "shown" or sizes[trial.number] <= most]


def _overflows(answer: Wanted) -> bool:
    return any(
        not np.isfinite(values).all()
        for leaf in (answer.native.tensors() if answer.native else ())
        if (values := leaf.values()).dtype.kind in "fc"
    )


def _is_significant(answer: Wanted | None) -> bool:
    """Return whether the reference at its own type comes near its answer in float64.

    Otherwise the answer is rounding only, and so is a right one of the candidate.
    """
    if answer is None or answer.native is None or _overflows(answer):
        return False
    exact = answer.precise.leaves if answer.precise else ()
    return not any(
        isinstance(rough, Numbers) and isinstance(other, Numbers) and _is_far(rough, other)
        for rough, other in zip(answer.native.leaves, exact, strict=False)
    )


def _is_far(rough: Numbers, exact: Numbers) -> bool:
    one, other = rough.values(), exact.values()
    if rough.dtype not in ROUNDED or one.shape != other.shape or other.dtype.kind != "f":
        return False
    both = np.isfinite(one) & np.isfinite(other)
    if not both.any():
        return False
    scale = float(np.abs(other[both]).max())
    return bool(np.abs(one - other)[both].max() > ROUNDING * scale > 0.0)


def doubtful(runs: list[Outcome]) -> list[plan.Trial]:
    """Return trials that are wrong and ran once, to run again in memory of other content."""
    twice = {run.trial.number for run in runs if run.mode == "second"}
    wrong = [run.trial for run in runs if not run.right and run.mode == "first"]
    again = [trial for trial in wrong if trial.number not in twice]
    return [replace(trial, modes=("second",)) for trial in again[:SECOND_LOOKS]]


def off(runs: list[Outcome]) -> list[plan.Trial]:
    """Return the trials with an answer that is wrong by its numbers."""
    wrong = [run.trial for run in runs if not run.right and run.value and run.mode != "idle"]
    return list({trial.number: trial for trial in wrong}.values())


def alike(trials: list[plan.Trial]) -> list[list[int]]:
    """Return groups of trials that differ only in their seed, or by a shuffle of their values."""
    groups: dict[str, list[int]] = {}
    for trial in trials:
        if trial.kind in ("shown", "seed"):
            key = str(sorted((k, str(v)) for k, v in trial.case.items() if k != "seed"))
            groups.setdefault(key, []).append(trial.number)
    return [numbers for numbers in groups.values() if len(numbers) > 1]
