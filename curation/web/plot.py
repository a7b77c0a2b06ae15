"""Charts as values for templates. Lengths are numbers from 0 to 100."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from curation.models import Outcome, ValidationCheck


@dataclass(frozen=True, slots=True)
class ChartBar:
    """`length` is a percentage of the longest bar, and `part` is that of the approved items."""

    label: str
    figure: str
    length: float
    part: float
    url: str = ""


def bars(values: Iterable[tuple[str, int, str]]) -> list[ChartBar]:
    """Return a bar for each label, value and query of a list."""
    rows = list(values)
    longest = max((value for _, value, _ in rows), default=0) or 1
    return [
        ChartBar(label, f"{value:,}", length := round(100 * value / longest, 2), length, url)
        for label, value, url in rows
    ]


def shares(rows: Iterable[Sequence[Any]], query: str) -> list[ChartBar]:
    """Return a bar for each name, approved count and total. `query`: URL query with `{name}`."""
    values = list(rows)
    longest = max((whole for _, _, whole in values), default=0) or 1
    return [
        ChartBar(
            name or "not known",
            f"{part:,} of {whole:,}",
            round(100 * whole / longest, 2),
            round(100 * part / longest, 2),
            query.format(name=quote(name or "none")),
        )
        for name, part, whole in values
    ]


@dataclass(frozen=True, slots=True)
class Dot:
    """The largest error of a check as a share of its tolerance, on a logarithmic axis."""

    label: str
    share: float
    position: float
    state: str
    """`in` or `out` of the tolerance, or `other`: in the tolerance, but the check failed."""


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
    """Return the share of the tolerance that the check measured, or None without a comparison."""
    return _number(check.figures.get("share_of_allowed"))


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
