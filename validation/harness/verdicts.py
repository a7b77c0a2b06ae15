"""What an entry is called, after its checks and after how its processes ended."""

import signal
from collections.abc import Sequence
from typing import Any

from validation.harness.judge.evidence import raised
from validation.harness.nursery import ChildEnded
from validation.harness.report import Check, Verdict, presentable

# The first that any check gives is the entry's.
WORST_FIRST = (
    Verdict.CHEATING, Verdict.TIMEOUT, Verdict.CRASHED, Verdict.UNSUPPORTED, Verdict.FAILED,
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
        # What the watch calls it when it sees the start; either may come first.
        return Check("conduct", Verdict.CHEATING, f"{prefix}started more {ended.why} than it may")
    if ended.status is None:
        return Check(check, Verdict.CRASHED, f"{prefix}no process could be made: {ended.why}")
    if ended.status == 0:
        words = f"{prefix}ended its process as if all was well, before it answered"
        return Check("conduct", Verdict.CHEATING, words)
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
    """What a process says that can do nothing more."""
    if not isinstance(header, dict) or "broken" not in header:
        return ""
    broken = header["broken"]
    return broken if isinstance(broken, str) else raised(broken)
