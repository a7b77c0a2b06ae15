"""Verdicts and grades of an entry, from its checks and from how its processes ended."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from validation.harness.judge.replay_evidence import raised
from validation.harness.pool.children import LIMITS, ChildEnded
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


def ended_as(check: str, blamed: str, ended: ChildEnded) -> Check:
    status = ended.status
    if ended.why in LIMITS:
        words = LIMITS[ended.why]
    elif status is None:
        words = f"no process could be made: {ended.why}"
    elif status == 0:
        words = "ended its process before it answered"
    elif status < 0:
        words = f"killed by {_signal_name(-status)}"
    else:
        words = f"ended its process with status {status}"
    return Check(check, Verdict.CRASHED, f"{blamed}{words}")


def _signal_name(number: int) -> str:
    """Return the signal's name. Python names only two of the real-time signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def said_broken(header: Any) -> str:
    """Return why a process reports itself as unusable, or an empty text."""
    if not isinstance(header, dict) or "broken" not in header:
        return ""
    broken = header["broken"]
    return broken if isinstance(broken, str) else raised(broken)
