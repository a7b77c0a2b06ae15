"""The small plot of errors: where each dot stands, and what figures make one."""

import pytest

from curation.models import Outcome, ValidationCheck
from curation.web import plot


def a_check(share: object, outcome: str = Outcome.PASSED) -> ValidationCheck:
    return ValidationCheck(name="accuracy", outcome=outcome, figures={"share_of_allowed": share})


@pytest.mark.parametrize(
    ("share", "position", "state"),
    [
        (1.0, 100.0, "in"),
        (1e-3, 50.0, "in"),
        (0.0, 0.0, "in"),
        (1e-12, 0.0, "in"),
        (10.0, 116.67, "out"),
        (1e9, 133.33, "out"),
        ("inf", 133.33, "out"),
        ("nan", 133.33, "out"),
    ],
)
def test_a_dot_is_placed_by_its_share_of_the_allowed_error(
    share: object, position: float, state: str
) -> None:
    [dot] = plot.errors([a_check(share)])

    assert (dot.position, dot.state) == (position, state)


def test_a_check_that_failed_within_its_tolerance_has_no_good_dot() -> None:
    [dot] = plot.errors([a_check(0.2, Outcome.FAILED)])

    assert dot.state == "other"


def test_each_tick_has_the_position_of_a_dot_with_its_value() -> None:
    dots = plot.errors([a_check(share) for share in (1e-6, 1e-4, 1e-2, 1.0, 100.0)])

    assert [dot.position for dot in dots] == [tick.position for tick in plot.TICKS]


def test_a_check_without_a_comparison_has_no_dot() -> None:
    checks = [
        ValidationCheck(name="memory"),
        ValidationCheck(name="odd", figures={"share_of_allowed": None}),
    ]

    assert plot.errors(checks) == []
