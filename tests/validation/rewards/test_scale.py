"""Rewards by verdict: no wrong answer earns that of a right one."""

from typing import Any

import pytest

from validation.harness.report import Check, Report, Verdict
from validation.rewards.answer import Tier
from validation.rewards.scale import ANSWERS, REJECTED, RIGHT, SHOWN, bonus, reward_of

BY_TRITON = Check("triton", Verdict.PASSED, "", {"computed_by": "triton"})
MIXED = Check("triton", Verdict.PASSED, "", {"computed_by": "mixed"})
UNCOMPILED = Check("compiles", Verdict.FAILED, "")


def a_report(verdict: Verdict, *checks: Check, **figures: Any) -> Report:
    return Report("kernel", verdict, "", checks, {}, {}, figures)


def accuracy(verdict: Verdict | None) -> Check:
    return Check("accuracy", verdict, "")


PASSED, FAILED = accuracy(Verdict.PASSED), accuracy(Verdict.FAILED)


@pytest.mark.parametrize(
    ("report", "fast", "full"),
    [
        (a_report(Verdict.PASSED, PASSED, BY_TRITON), SHOWN, RIGHT),
        (a_report(Verdict.PASSED, PASSED, MIXED), REJECTED, REJECTED),
        (a_report(Verdict.FAILED, FAILED, BY_TRITON), ANSWERS, ANSWERS),
        (a_report(Verdict.FAILED, PASSED, BY_TRITON), ANSWERS, ANSWERS),
        (a_report(Verdict.ERROR, PASSED, BY_TRITON), ANSWERS, ANSWERS),
        (a_report(Verdict.ERROR, accuracy(Verdict.ERROR), BY_TRITON), REJECTED, REJECTED),
        (a_report(Verdict.FAILED, FAILED, MIXED), REJECTED, REJECTED),
        (a_report(Verdict.PASSED, accuracy(None), BY_TRITON), REJECTED, REJECTED),
        (a_report(Verdict.NOT_TRITON, PASSED), REJECTED, REJECTED),
        (a_report(Verdict.VACUOUS, PASSED, BY_TRITON), REJECTED, REJECTED),
        (a_report(Verdict.TIMEOUT, PASSED, BY_TRITON), REJECTED, REJECTED),
        (a_report(Verdict.CRASHED, PASSED, BY_TRITON), REJECTED, REJECTED),
        (a_report(Verdict.PASSED), REJECTED, REJECTED),
        (a_report(Verdict.FAILED, PASSED, BY_TRITON, UNCOMPILED), REJECTED, REJECTED),
    ],
)
def test_the_reward_follows_from_the_verdict_and_the_tier(
    report: Report, fast: float, full: float
) -> None:
    assert (reward_of(report, Tier.FAST), reward_of(report, Tier.FULL)) == (fast, full)


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({}, 0.0),
        ({"speedup": 2.0}, 0.25),
        ({"speedup": 8.0, "speedup_compiled": 2.0}, 0.25),
        ({"speedup": 0.5}, 0.0),
        ({"speedup": 1e9}, 0.5),
        ({"speedup": None}, 0.0),
    ],
)
def test_the_bonus_compares_with_the_faster_reference_and_is_bounded(
    figures: dict[str, Any], expected: float
) -> None:
    assert bonus(figures) == expected


def test_a_wrong_answer_gets_no_bonus_for_speed() -> None:
    report = a_report(Verdict.FAILED, FAILED, BY_TRITON, speedup=8.0)

    assert reward_of(report, Tier.FULL) == ANSWERS
