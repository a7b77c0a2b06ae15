"""Limits on the size of an entry's inputs, and the report's message about larger cases.

Every input is copied a dozen times: for three runs of the reference (as made, in float64, and with
changed last bits), for each replay, and for the comparison. Only the entry's own test runs a
case that exceeds the limits, and the report says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from validation.harness.plan.trial_plan import Case


@dataclass(frozen=True, slots=True)
class InputLimits:
    """Limits in bytes.

    one: inputs of one trial.
    altogether: inputs of all trials of an entry.
    light: inputs of a case that gets many variants.
    at_once: inputs in one message to a process.
    """

    one: int
    altogether: int
    light: int
    at_once: int


INPUT_LIMITS = {
    "interpreter": InputLimits(one=16 << 20, altogether=96 << 20, light=4 << 20, at_once=64 << 20),
    "cuda": InputLimits(one=128 << 20, altogether=512 << 20, light=16 << 20, at_once=128 << 20),
}
# If a case is too large, the largest compared case must have at least this many elements.
TRIVIAL = 1 << 12


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A case that is too large to compare, and the case that is compared instead."""

    name: str
    case: Case
    bytes: int
    instead: Case | None = None


def left_to_the_test(cases: Sequence[TooLarge], limits: InputLimits) -> str:
    """Return the report's message about cases that only the entry's own test runs."""
    if not cases:
        return ""
    smaller = ", ".join(case.name for case in cases if case.instead is not None)
    left = ", ".join(case.name for case in cases if case.instead is None)
    parts = []
    if smaller:
        parts.append(f"{smaller} compared only made smaller")
    if left:
        parts.append(f"{left} not compared")
    most = f"inputs of {limits.one >> 20} MiB are the most that is compared"
    return f"left to the entry's own test alone ({most}): {'; '.join(parts)}"


def nothing_fits(cases: Sequence[TooLarge], limits: InputLimits) -> str:
    least = min(cases, key=lambda case: case.bytes)
    return (
        f"no case can be compared: the smallest inputs, of {least.name}, take "
        f"{least.bytes / (1 << 20):,.0f} MiB, and {limits.one >> 20} are the most"
    )


def only_trivial(cases: Sequence[TooLarge], elements: int) -> str:
    return (
        f"nothing but trivial cases can be compared, of {elements:,} elements at most: "
        f"{', '.join(case.name for case in cases)} is too large"
    )
