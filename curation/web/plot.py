"""Charts as plain values for templates; lengths are numbers from 0 to 100."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from curation.models import Outcome, ValidationCheck


@dataclass(frozen=True, slots=True)
class ChartBar:
    label: str
    value: float
    length: float
    """Percent of the longest bar."""
    url: str = ""
    note: str = ""


def bars(values: Iterable[tuple[str, float, str]]) -> list[ChartBar]:
    rows = list(values)
    longest = max((value for _, value, _ in rows), default=0) or 1
    return [
        ChartBar(label, value, round(100 * value / longest, 2), url) for label, value, url in rows
    ]


@dataclass(frozen=True, slots=True)
class Dot:
    """The largest error of a check as a share of its tolerance, on a logarithmic axis."""

    label: str
    share: float
    position: float
    state: str
    """`in` the tolerance, `out` of it, or `other`: within it, but the check failed otherwise."""


@dataclass(frozen=True, slots=True)
class Tick:
    label: str
    position: float


DECADES = 6
TOLERANCE = 100.0
FARTHEST = TOLERANCE * (1 + 2 / DECADES)
TICKS = tuple(
    Tick(label, round(TOLERANCE * place / (DECADES / 2), 2))
    for place, label in enumerate(("≤ 0.0001%", "0.01%", "1%", "100%", "≥ 100 times"))
)


def errors(checks: Sequence[ValidationCheck]) -> list[Dot]:
    """Return a dot for each check that measured an error against a reference."""
    shares = ((check, measured(check)) for check in checks)
    return [_dot(check, share) for check, share in shares if share is not None]


def measured(check: ValidationCheck) -> float | None:
    """Return the share of the tolerance that the check measured, or None without a comparison.

    Older validations wrote 0 if every run raised an exception: a failed check without an error has
    compared no numbers.
    """
    share = _number(check.figures.get("share_of_allowed"))
    return None if share == 0 and check.outcome != Outcome.PASSED else share


def _number(value: object) -> float | None:
    """Parse a number. JSON can't contain infinity, so it is stored as a text."""
    try:
        return float(str(value))
    except ValueError:
        return None


def _dot(check: ValidationCheck, share: float) -> Dot:
    if not math.isfinite(share):
        return Dot(check.name, share, round(FARTHEST, 2), "out")
    decades = math.log10(share) if share > 0 else -DECADES
    position = TOLERANCE * (1 + max(-DECADES, decades) / DECADES)
    within = "in" if check.outcome == Outcome.PASSED else "other"
    return Dot(
        check.name, share, round(min(position, FARTHEST), 2), within if share <= 1 else "out"
    )


@dataclass(frozen=True, slots=True)
class StackedBar:
    """A bar for the total, and within it one for approved items."""

    label: str
    approved: int
    total: int
    length: float
    approved_length: float
    query: str


def shares(rows: Iterable[Sequence[object]], key: str) -> list[StackedBar]:
    values = [(str(name), int(str(part)), int(str(whole))) for name, part, whole in rows]
    longest = max((whole for _, _, whole in values), default=0) or 1
    return [
        StackedBar(
            name or "not known",
            part,
            whole,
            round(100 * whole / longest, 2),
            round(100 * part / longest, 2),
            f"{key}={name or 'none'}",
        )
        for name, part, whole in values
    ]
