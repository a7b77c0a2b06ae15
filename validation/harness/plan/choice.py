"""Selection of the trials that count, after the reference has answered, and of repeated runs."""

import json
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from validation.harness.judge.numbers import Numbers
from validation.harness.judge.practical import PracticalBound
from validation.harness.judge.replay_evidence import JudgedReplay, Wanted
from validation.harness.plan import trial_plan as plan
from validation.harness.plan.arguments import Inputs, shapes

SECOND_LOOKS = 3
ORDERED_TRIALS = 2
# Two programs have only two possible orders, so launches of more programs are preferred.
FEW_PROGRAMS = 4
# A difference over this share of the largest value is no rounding error, except by cancellation.
ROUNDING = 0.03
EVEN = 4
# Bounds on the trial of many elements: its elements, and its seconds if time grows linearly with
# the elements, or with their square.
LARGE_MOST, LARGE_SECONDS, LARGE_SECONDS_MOST = 1 << 18, 1.0, 10.0
CHANGED_VALUES = ("values", "special", "huge")
ROUNDED = ("float32", "float16", "bfloat16")


def select_answered(trials: list[plan.Trial], wanted: dict[int, Wanted]) -> list[plan.Trial]:
    """Return the trials that the reference answers.

    In a group, only the first trial with a finite answer counts, preferably one whose answer is
    more than rounding errors. A doubled size is dropped if the reference returns NaN or infinity
    for it but finite numbers for all shown cases: it is outside of the function's domain. Changed
    values are dropped if more results overflow than in the shown case, and shifted values are
    dropped if the reference's answer consists of rounding errors.
    """
    shown = [trial.number for trial in trials if trial.kind == "shown"]
    not_finite = {number: _count_not_finite(answer) for number, answer in wanted.items()}
    is_finite = not any(not_finite.get(number) for number in shown)
    usual = {
        _text(trial.case): not_finite.get(trial.number, 0)
        for trial in trials
        if trial.kind == "shown"
    }

    def counts(trial: plan.Trial) -> bool:
        answer = wanted.get(trial.number)
        if answer is None or answer.native is None:
            return False
        overflows = not_finite[trial.number] > usual.get(_text(trial.case), 0)
        if trial.kind in ("values", "huge", "property"):
            return not overflows and (not _is_shifted(trial) or _is_meaningful(answer))
        return trial.kind != "near" or not (is_finite and overflows)

    kept = list(filter(counts, trials))
    chosen: dict[str, plan.Trial] = {}
    for trial in kept:
        best = chosen.setdefault(trial.group, trial)
        if trial.group and not _is_meaningful(wanted[best.number]):
            chosen[trial.group] = trial if _is_meaningful(wanted[trial.number]) else best
    kept = [trial for trial in kept if not trial.group or trial is chosen[trial.group]]
    idle = {shown[-1], shown[len(shown) // 2]}
    return [
        replace(trial, modes=(*trial.modes, "idle")) if trial.number in idle else trial
        for trial in kept
    ]


def select_telling(made: Inputs, shown: Inputs, sizes: plan.Sizes) -> Inputs:
    """Return the variants whose values differ from the shown ones, and mark unseen shapes.

    sizes: the sizes that the entry allows. Without them, shapes whose new sizes are all multiples
    of EVEN are not marked, because make_inputs may have rounded them to blocks.
    """
    contents = {_text(trial.case): shown.content(trial.number) for trial in shown.trials}
    trees = [shown.arguments[trial.number] for trial in shown.trials]
    seen = [list(shapes(tree)) for tree in trees]
    kept = []
    for trial in made.trials:
        own = list(shapes(made.arguments[trial.number]))
        changes_values = trial.variant is not None and trial.kind in CHANGED_VALUES
        if changes_values and made.content(trial.number) == contents.get(_text(trial.case)):
            continue
        if own:
            unseen = own not in seen and (bool(sizes) or _is_uneven(own, seen))
        else:
            unseen = made.arguments[trial.number] not in trees
        kept.append(replace(trial, unseen=unseen))
    return made.of_trials(kept)


def _is_uneven(own: list[list[int]], seen: list[list[list[int]]]) -> bool:
    """Return whether a size is no multiple of EVEN, and new at its position."""
    shown = {place for one in seen for place in _places(one)}
    return any(size % EVEN for *place, size in _places(own) if (*place, size) not in shown)


def _places(tensors: list[list[int]]) -> list[tuple[int, int, int]]:
    return [
        (place, axis, size) for place, one in enumerate(tensors) for axis, size in enumerate(one)
    ]


def _text(case: plan.Case) -> str:
    return json.dumps(case, sort_keys=True)


def with_domain(trials: list[plan.Trial], wanted: dict[int, Wanted]) -> dict[int, Wanted]:
    """Return the answers. If no shown case's answer contains NaN, mark the answers that do.

    A size or seed may cause a situation that the author excludes, such as a mask with an empty row.
    The reference's NaN defines no answer there, so a launcher may return anything.
    """
    undefined = {number for number, answer in wanted.items() if _holds_nan(answer)}
    shown = {trial.number for trial in trials if trial.kind == "shown"}
    # A trial of special values tests where NaN appears, so it is not marked.
    by_case = shown | {trial.number for trial in trials if trial.kind == "special"}
    if undefined & shown:
        return wanted
    return {
        number: replace(answer, undefined=number in undefined - by_case)
        for number, answer in wanted.items()
    }


def _holds_nan(answer: Wanted) -> bool:
    return any(
        np.isnan(values).any()
        for leaf in (answer.native.tensors() if answer.native else ())
        if (values := leaf.values()).dtype.kind in "fc"
    )


def select_for_orders(
    trials: list[plan.Trial], programs: Callable[[plan.Trial], int]
) -> list[plan.Trial]:
    """Add other program orders to two trials with few programs, preferably FEW_PROGRAMS or more.

    programs: returns the largest number of programs in a launch of a trial.
    """
    several = [(count, trial.number) for trial in trials
               if trial.kind in plan.DECISIVE and (count := programs(trial)) > 1]  # fmt: skip
    fewest = sorted(several, key=lambda one: (one[0] < FEW_PROGRAMS, *one))[:ORDERED_TRIALS]
    chosen = {number for _, number in fewest}
    return [
        replace(trial, modes=(*trial.modes, *plan.ORDERS)) if trial.number in chosen else trial
        for trial in trials
    ]


def select_affordable(inputs: Inputs, wanted: dict[int, Wanted], device: str) -> list[plan.Trial]:
    """Leave out variants larger than all shown cases, because the interpreter is slow."""

    def elements(number: int) -> int:
        native = wanted[number].native
        outputs = [math.prod(leaf.shape) for leaf in native.tensors()] if native else []
        return inputs.elements(number) + sum(outputs)

    sizes = {trial.number: elements(trial.number) for trial in inputs.trials}
    shown = max(sizes[trial.number] for trial in inputs.trials if trial.kind == "shown")
    most = max(shown if device == "interpreter" else 4 * shown, plan.MOST[device])
    limits = {"shown": math.inf, "large": LARGE_MOST}
    return [one for one in inputs.trials if sizes[one.number] <= limits.get(one.kind, most)]


def select_precise(
    trials: list[plan.Trial], bound: PracticalBound, triton_code: str
) -> list[plan.Trial]:
    """Return the trials. Leave out shifted values if the kernels declare approximations or compute
    matrix products, whose gradients a shift multiplies."""
    keeps_digits = bound.factor == 1.0 and "tl.dot(" not in triton_code
    return [trial for trial in trials if keeps_digits or not _is_shifted(trial)]


def select_large(inputs: Inputs, runs: list[JudgedReplay]) -> list[plan.Trial]:
    """Return the large trial if it needs few seconds, estimated from the largest shown case."""
    shown = [run for run in runs if run.trial.kind == "shown" and run.mode == "first"]
    if not shown:
        return []
    largest = max(shown, key=lambda run: inputs.elements(run.trial.number))
    seconds = float(largest.details.get("seconds", math.inf))
    own = max(1, inputs.elements(largest.trial.number))

    def is_affordable(trial: plan.Trial) -> bool:
        growth = inputs.elements(trial.number) / own
        # Cost rarely grows quadratically, but an entry must not time out because of this estimate.
        return seconds * growth <= LARGE_SECONDS and seconds * growth**2 <= LARGE_SECONDS_MOST

    return [one for one in inputs.trials if one.kind == "large" and is_affordable(one)]


def _is_shifted(trial: plan.Trial) -> bool:
    return trial.variant is not None and trial.variant["kind"] == "shifted"


def _count_not_finite(answer: Wanted) -> int:
    return sum(
        int((~np.isfinite(values)).sum())
        for leaf in (answer.native.tensors() if answer.native else ())
        if (values := leaf.values()).dtype.kind in "fc"
    )


def _is_meaningful(answer: Wanted) -> bool:
    """Return whether the reference's answer is close to its float64 answer. If it is not, it is
    mostly rounding error, and comparing a kernel's answer with it shows nothing."""
    if answer.native is None:
        return False
    exact = (*answer.precise.leaves, *answer.precise.gradients) if answer.precise else ()
    own = (*answer.native.leaves, *answer.native.gradients)
    return not any(
        isinstance(rough, Numbers) and isinstance(other, Numbers) and _far(rough, other)
        for rough, other in zip(own, exact, strict=False)
    )


def _far(rough: Numbers, exact: Numbers) -> bool:
    rough_values, exact_values = rough.values(), exact.values()
    if (
        rough.dtype not in ROUNDED
        or rough_values.shape != exact_values.shape
        or exact_values.dtype.kind != "f"
    ):
        return False
    both = np.isfinite(rough_values) & np.isfinite(exact_values)
    if not both.any():
        return False
    scale = float(np.abs(exact_values[both]).max())
    return bool(np.abs(rough_values[both] - exact_values[both]).max() > ROUNDING * scale > 0.0)


def select_wrong_once(runs: list[JudgedReplay]) -> list[plan.Trial]:
    """Return some wrong trials that ran only once, for a run with another memory fill pattern."""
    twice = {run.trial.number for run in runs if run.mode == "second"}
    wrong = [run.trial for run in runs if not run.right and run.mode == "first"]
    again = [trial for trial in wrong if trial.number not in twice]
    return [replace(trial, modes=("second",)) for trial in again[:SECOND_LOOKS]]


def select_wrong_values(runs: list[JudgedReplay]) -> list[plan.Trial]:
    """Return the trials whose answer has wrong numbers, not a wrong shape or an exception."""
    wrong = [run.trial for run in runs if not run.right and run.value and run.mode != "idle"]
    return list({trial.number: trial for trial in wrong}.values())


def group_by_values(trials: list[plan.Trial]) -> list[list[int]]:
    """Return groups of trials that differ only in their seed, or by a shuffle of the values."""
    groups: dict[str, list[int]] = {}
    for trial in trials:
        if trial.kind in ("shown", "seed"):
            key = str(sorted((k, str(v)) for k, v in trial.case.items() if k != "seed"))
            groups.setdefault(key, []).append(trial.number)
    return [numbers for numbers in groups.values() if len(numbers) > 1]
