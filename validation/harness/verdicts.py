"""Verdicts and grades of an entry, from its checks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from validation.harness.report import Check, Report, Verdict, presentable

# If checks give several verdicts, the first in this order is the entry's.
WORST_FIRST = (
    Verdict.TIMEOUT, Verdict.CRASHED, Verdict.UNSUPPORTED, Verdict.NOT_TRITON, Verdict.FAILED,
    Verdict.ERROR, Verdict.VACUOUS,
)  # fmt: skip
# Grades by the check that determines them.
GRADES = {
    "variations": ("accuracy", "own_error", "sizes", "values", "special_values", "unvaried"),
    "triton": ("computed_by", "torch_operations", "torch_share", "launched", "unlaunched"),
    "falsifiable": ("test_strength",),
}


def verdict_of(made: Sequence[Check]) -> tuple[Verdict, str]:
    for verdict in WORST_FIRST:
        for check in made:
            if check.verdict is verdict:
                return verdict, check.words
    passed = sum(check.verdict is Verdict.PASSED for check in made)
    return Verdict.PASSED, f"{passed} checks pass"


def with_check(report: Report, check: Check, seconds: Mapping[str, float]) -> Report:
    """Return the report with one more check, and the seconds that it took."""
    checks = (*report.checks, presentable(check))
    verdict, message = verdict_of(checks)
    rounded = {name: round(value, 4) for name, value in seconds.items()}
    return replace(
        report, verdict=verdict, message=message, checks=checks,
        seconds={**report.seconds, **rounded},
    )  # fmt: skip


def figures(made: Sequence[Check]) -> dict[str, Any]:
    """Return the number of inputs and the largest errors, if answers were compared."""
    numbers = [check.numbers for check in made if check.name in ("accuracy", "variations")]
    numbers = [record for record in numbers if record.get("cases")]
    if not numbers:
        return {}
    worst = {"cases": sum(record["cases"] for record in numbers)}
    for name in ("max_abs_error", "max_rel_error", "share_of_allowed"):
        if values := [record[name] for record in numbers if name in record]:
            worst[name] = presentable(max(values))
    return worst


def grades(made: Sequence[Check]) -> dict[str, Any]:
    """Return the grades that the checks determined."""
    return {
        name: check.numbers[name]
        for check in made
        for name in GRADES.get(check.name, ())
        if name in check.numbers
    }
