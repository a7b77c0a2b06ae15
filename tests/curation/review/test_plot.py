"""The small plot of errors: where each dot stands, and what figures make one."""

import pytest

from curation.models import ValidationCheck
from curation.review import plot


@pytest.mark.parametrize(
    ("share", "position", "within"),
    [
        (1.0, 100.0, True),
        (1e-3, 50.0, True),
        (0.0, 0.0, True),
        (1e-12, 0.0, True),
        (10.0, 116.67, False),
        (1e9, 120.0, False),
        ("inf", 120.0, False),
        ("nan", 120.0, False),
    ],
)
def test_a_dot_stands_where_its_share_of_the_allowed_error_is(
    share: object, position: float, within: bool
) -> None:
    [dot] = plot.errors([ValidationCheck(name="accuracy", figures={"share_of_allowed": share})])

    assert (dot.position, dot.within) == (position, within)


def test_a_check_that_compares_nothing_has_no_dot() -> None:
    checks = [
        ValidationCheck(name="memory"),
        ValidationCheck(name="odd", figures={"share_of_allowed": None}),
    ]

    assert plot.errors(checks) == []
