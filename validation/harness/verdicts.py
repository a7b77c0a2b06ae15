"""Verdicts and grades of an entry, from its checks and from how its processes ended."""

import signal
from collections.abc import Sequence
from typing import Any

from validation.harness.children import ChildEnded
from validation.harness.judge.evidence import raised
from validation.harness.report import Check, Verdict, presentable

# The first that any check gives is the entry's.
WORST_FIRST = (
    Verdict.TIMEOUT, Verdict.CRASHED, Verdict.UNSUPPORTED, Verdict.NOT_TRITON, Verdict.FAILED,
    Verdict.ERROR, Verdict.VACUOUS,
)  # fmt: skip


def figures(made: Sequence[Check]) -> dict[str, Any]:
    """Return how close the answers came, over all inputs, as far as any were compared."""
    compared = [c.numbers for c in made if c.name in ("accuracy", "variations")]
    compared = [numbers for numbers in compared if numbers.get("cases")]
    if not compared:
        return {}
    worst = ("max_abs_error", "max_rel_error", "share_of_allowed")
    return {
        "cases": sum(numbers["cases"] for numbers in compared),
        **{
            name: presentable(max(numbers[name] for numbers in compared if name in numbers))
            for name in worst
            if any(name in numbers for numbers in compared)
        },
    }


# By the check that knows them.
GRADES = {
    "variations": ("accuracy", "sizes", "values", "special_values"),
    "triton": ("computed_by", "torch_operations", "torch_share"),
    "falsifiable": ("test_strength",),
}


def grades(made: Sequence[Check]) -> dict[str, Any]:
    """Return the grades of evidence that the checks state, as far as they were made."""
    return {
        name: check.numbers[name]
        for check in made
        for name in GRADES.get(check.name, ())
        if name in check.numbers
    }


def verdict_of(made: Sequence[Check]) -> tuple[Verdict, str]:
    for verdict in WORST_FIRST:
        for check in made:
            if check.verdict is verdict:
                return verdict, check.words
    passed = sum(check.verdict is Verdict.PASSED for check in made)
    return Verdict.PASSED, f"{passed} checks pass"


def ended_as(check: str, prefix: str, ended: ChildEnded) -> Check:
    if ended.why == "memory":
        return Check(check, Verdict.CRASHED, f"{prefix}used more memory than it may")
    if ended.why == "disk":
        return Check(check, Verdict.CRASHED, f"{prefix}wrote more files than it may")
    if ended.why in ("threads", "processes"):
        return Check(check, Verdict.CRASHED, f"{prefix}started more {ended.why} than it may")
    if ended.status is None:
        return Check(check, Verdict.CRASHED, f"{prefix}no process could be made: {ended.why}")
    if ended.status == 0:
        return Check(check, Verdict.CRASHED, f"{prefix}ended its process before it answered")
    if ended.status < 0:
        return Check(check, Verdict.CRASHED, f"{prefix}killed by {_name(-ended.status)}")
    return Check(check, Verdict.CRASHED, f"{prefix}ended its process with status {ended.status}")


def _name(number: int) -> str:
    """Python names two of the real-time signals, and a process may send itself any."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def said_broken(header: Any) -> str:
    """Return why a process can do nothing more, in its own words, or an empty text."""
    if not isinstance(header, dict) or "broken" not in header:
        return ""
    broken = header["broken"]
    return broken if isinstance(broken, str) else raised(broken)
