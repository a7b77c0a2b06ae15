"""Which of the scaled values count: those to which the reference itself has an answer."""

from __future__ import annotations

from tests.validation.harness.numbers_of import numbers_of, value_of
from validation.harness.choice import counted
from validation.harness.judge.evidence import Wanted
from validation.harness.plan import Trial

EXACT = value_of(numbers_of([1.0, -2.0], "float64"))
NEAR = Wanted(value_of(numbers_of([1.001, -2.0])), EXACT)
ROUNDING = Wanted(value_of(numbers_of([1.5, -2.5])), EXACT)
SHOWN = Trial(0, "case 0", "shown", {})
SMALL = Trial(1, "small values (times 0.001)", "values", {}, group="small values")
LESS_SMALL = Trial(2, "small values (times 0.03)", "values", {}, group="small values")
ZEROS = Trial(3, "zeros", "values", {})


def names(*answers: Wanted) -> list[str]:
    trials = [SHOWN, SMALL, LESS_SMALL, ZEROS]
    return [one.name for one in counted(trials, dict(enumerate(answers)))]


def test_of_a_group_the_first_that_is_more_than_rounding_counts() -> None:
    assert names(NEAR, NEAR, NEAR, NEAR) == ["case 0", SMALL.name, "zeros"]
    assert names(NEAR, ROUNDING, NEAR, NEAR) == ["case 0", LESS_SMALL.name, "zeros"]


def test_where_all_of_a_group_is_rounding_it_is_no_way_out() -> None:
    """A reference that answers otherwise in float64 must not spare its candidate anything."""
    assert names(NEAR, ROUNDING, ROUNDING, ROUNDING) == ["case 0", SMALL.name, "zeros"]
