"""Scale of rewards: turns a report of the harness into a number."""

import math
from collections.abc import Mapping

from validation.harness.report import Check, Report, Verdict
from validation.rewards.answer import Tier

# The kernel is rejected, or torch computes at least a part of the answer.
REJECTED = 0.0
# The entry's own kernels answer every shown case, but an answer is wrong or a run misuses memory.
ANSWERS = 0.2
# All shown cases are right: the largest reward of the fast tier. A kernel that is right on no other
# inputs earns this too, so SHOWN is less than RIGHT.
SHOWN = 0.5
RIGHT = 1.0
# Bonus for each doubling of the speed relative to the faster reference, and the maximum bonus.
BONUS_OF_DOUBLING, MOST_BONUS = 0.25, 0.5


def reward_of(report: Report, tier: Tier) -> float:
    """Return the reward. A wrong answer always earns less than a right one."""
    checks = {check.name: check for check in report.checks}
    compiles = checks.get("compiles")
    if compiles is not None and compiles.verdict is Verdict.FAILED:
        return REJECTED
    if not _is_by_triton(checks.get("triton")):
        return REJECTED
    accuracy = checks.get("accuracy")
    if accuracy is None or accuracy.verdict not in (Verdict.PASSED, Verdict.FAILED):
        return REJECTED
    if report.verdict in (Verdict.FAILED, Verdict.ERROR):
        return ANSWERS
    if report.verdict is not Verdict.PASSED:
        return REJECTED
    return SHOWN if tier is Tier.FAST else RIGHT + bonus(report.figures)


def bonus(figures: Mapping[str, object]) -> float:
    """Return the bonus for the speedup over the faster of eager and compiled torch."""
    measured = [
        value
        for name in ("speedup", "speedup_compiled")
        if isinstance(value := figures.get(name), float | int) and value > 0
    ]
    if not measured:
        return 0.0
    doublings = math.log2(max(1.0, min(measured)))
    return round(min(MOST_BONUS, BONUS_OF_DOUBLING * doublings), 4)


def _is_by_triton(check: Check | None) -> bool:
    if check is None or check.verdict is not Verdict.PASSED:
        return False
    return check.numbers.get("computed_by") == "triton"
