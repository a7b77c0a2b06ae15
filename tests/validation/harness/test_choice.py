"""Selection of scaled values: those count for which the reference has a meaningful answer."""

from __future__ import annotations

import pytest

from tests.validation.harness.numbers_of import numbers_of, value_of
from validation.harness.judge.practical import PracticalBound
from validation.harness.judge.replay_evidence import Wanted
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.choice import (
    select_answered,
    select_for_orders,
    select_precise,
    select_telling,
    with_domain,
)
from validation.harness.plan.trial_plan import Trial

EXACT = value_of(numbers_of([1.0, -2.0], "float64"))
NEAR = Wanted(value_of(numbers_of([1.001, -2.0])), EXACT)
ROUNDING = Wanted(value_of(numbers_of([1.5, -2.5])), EXACT)
SHOWN = Trial(0, "case 0", "shown", {})
SMALL = Trial(1, "small values (times 0.001)", "values", {}, group="small values")
LESS_SMALL = Trial(2, "small values (times 0.03)", "values", {}, group="small values")
ZEROS = Trial(3, "zeros", "values", {})


def names(*answers: Wanted) -> list[str]:
    trials = [SHOWN, SMALL, LESS_SMALL, ZEROS]
    return [one.name for one in select_answered(trials, dict(enumerate(answers)))]


def test_the_first_meaningful_trial_of_a_group_is_selected() -> None:
    assert names(NEAR, NEAR, NEAR, NEAR) == ["case 0", SMALL.name, "zeros"]
    assert names(NEAR, ROUNDING, NEAR, NEAR) == ["case 0", LESS_SMALL.name, "zeros"]


def test_a_group_of_trials_with_only_rounding_errors_is_selected() -> None:
    """Otherwise a reference with another answer in float64 would spare its candidate the trials."""
    assert names(NEAR, ROUNDING, ROUNDING, ROUNDING) == ["case 0", SMALL.name, "zeros"]


def test_a_doubled_size_is_selected_only_if_the_reference_is_finite() -> None:
    doubled = Trial(1, "twice n", "near", {})
    not_finite = Wanted(value_of(numbers_of([float("nan"), 1.0])), None)

    def counting(shown: Wanted, twice: Wanted) -> list[str]:
        return [one.name for one in select_answered([SHOWN, doubled], {0: shown, 1: twice})]

    assert counting(NEAR, not_finite) == ["case 0"]
    assert counting(not_finite, not_finite) == ["case 0", "twice n"]
    assert counting(NEAR, NEAR) == ["case 0", "twice n"]


def test_a_nan_that_no_shown_case_has_is_outside_of_the_domain() -> None:
    """A random mask leaves a row of a softmax empty at a small size."""
    trials = [
        SHOWN,
        Trial(1, "primes", "size", {}),
        Trial(2, "NaN among the values", "special", {}),
    ]
    empty = Wanted(value_of(numbers_of([float("nan"), 1.0])), None)

    def undefined(shown: Wanted) -> list[int]:
        marked = with_domain(trials, {0: shown, 1: empty, 2: empty})
        return [number for number, answer in marked.items() if answer.undefined]

    assert undefined(NEAR) == [1]
    assert undefined(empty) == []


def test_two_trials_with_few_programs_but_several_run_in_other_orders() -> None:
    trials = [Trial(number, f"case {number}", "shown", {}) for number in range(5)]
    programs = dict(enumerate((1, 900, 2, 12, 4)))

    chosen = select_for_orders(trials, lambda trial: programs[trial.number])

    ordered = [trial.number for trial in chosen if "shuffled" in trial.modes]
    assert ordered == [3, 4]
    assert len(chosen) == 5


def vectors(**lengths: int) -> Inputs:
    """Return the inputs of a trial for each name, each one vector of so many bytes."""
    trials = [
        Trial(number, name, "shown" if name == "shown" else "size", {"n": length})
        for number, (name, length) in enumerate(lengths.items())
    ]
    arguments = {
        trial.number: {"tuple": [{"storage": trial.number, "shape": [trial.case["n"]]}]}
        for trial in trials
    }
    return Inputs(trials, arguments, [memoryview(bytes(length)) for length in lengths.values()])


@pytest.mark.parametrize(
    ("length", "sizes", "unseen"),
    [
        (1024, {}, False),
        (2048, {}, False),
        (2047, {}, True),
        (2048, {"n": {"multiple_of": 1024}}, True),
        (1024, {"n": {"multiple_of": 1024}}, False),
    ],
)
def test_a_shape_is_unseen_if_no_case_has_it_and_it_is_not_rounded(
    length: int, sizes: dict[str, dict[str, int]], unseen: bool
) -> None:
    whole = vectors(shown=1024, odd=length)
    shown, odd = whole.of_trials(whole.trials[:1]), whole.of_trials(whole.trials[1:])

    (trial,) = select_telling(odd, shown, sizes).trials

    assert trial.unseen is unseen


def test_a_variant_that_changes_no_value_is_left_out() -> None:
    shown = vectors(shown=8)
    zeros = Trial(1, "zeros", "values", {"n": 8}, {"kind": "scaled", "by": 0.0})
    made = Inputs([zeros], {1: shown.arguments[0]}, shown.blobs)

    assert select_telling(made, shown, {}).trials == []


@pytest.mark.parametrize(
    ("text", "factor", "counts"),
    [("tl.sum(x)", 1.0, True), ("tl.sum(x)", 2.0, False), ("tl.dot(a, b)", 1.0, False)],
)
def test_shifted_values_count_only_for_kernels_that_keep_digits(
    text: str, factor: float, counts: bool
) -> None:
    shifted = Trial(1, "shifted", "values", {}, {"kind": "shifted", "by": 1000.0})

    kept = select_precise([SHOWN, shifted], PracticalBound(factor), text)

    assert (shifted in kept) is counts
