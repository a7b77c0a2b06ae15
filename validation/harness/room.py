"""Limits on the size of an entry's inputs, and the words about cases that are larger.

Every input is copied a dozen times: for three widths of the reference, for each replay, and for the
comparison. Cases that do not fit are left to the entry's own test, and the report says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from validation.harness.plan import Case


@dataclass(frozen=True, slots=True)
class Room:
    """Limits in bytes: of one trial, of all trials of an entry, of one case that is varied in many
    ways, and of what is handed over at once."""

    one: int
    altogether: int
    light: int
    at_once: int


ROOM = {
    "interpreter": Room(one=16 << 20, altogether=96 << 20, light=4 << 20, at_once=64 << 20),
    "cuda": Room(one=128 << 20, altogether=512 << 20, light=16 << 20, at_once=128 << 20),
}
# If a case is left out, the largest that is compared must have at least so many elements.
TRIVIAL = 1 << 12


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A case that is not compared, and the smaller case that is compared instead."""

    name: str
    case: Case
    bytes: int
    instead: Case | None = None


def left_to_the_test(cases: Sequence[TooLarge], room: Room) -> str:
    """Return the words of a report about these cases."""
    if not cases:
        return ""
    most = f"inputs of {room.one >> 20} MiB are the most that is compared"
    smaller = [one.name for one in cases if one.instead is not None]
    left = [one.name for one in cases if one.instead is None]
    parts = []
    if smaller:
        parts.append(f"{_listed(smaller)} compared only made smaller")
    if left:
        parts.append(f"{_listed(left)} not compared")
    return f"left to the entry's own test alone ({most}): {'; '.join(parts)}"


def nothing_fits(cases: Sequence[TooLarge], room: Room) -> str:
    least = min(cases, key=lambda one: one.bytes)
    return (
        f"no case can be compared: the smallest inputs, of {least.name}, take "
        f"{least.bytes / (1 << 20):,.0f} MiB, and {room.one >> 20} are the most"
    )


def only_trivial(cases: Sequence[TooLarge], elements: int) -> str:
    return (
        f"nothing but trivial cases can be compared, of {elements:,} elements at most: "
        f"{_listed([one.name for one in cases])} is too large"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
