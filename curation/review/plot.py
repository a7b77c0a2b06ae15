"""Charts as plain values that a template draws: what is long is a number of 0 to 100."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from curation.models import ValidationCheck


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    value: float
    length: float
    """Percent of the longest."""
    url: str = ""
    note: str = ""


def bars(values: Iterable[tuple[str, float, str]]) -> list[Bar]:
    rows = list(values)
    longest = max((value for _, value, _ in rows), default=0) or 1
    return [Bar(label, value, round(100 * value / longest, 2), url) for label, value, url in rows]


@dataclass(frozen=True, slots=True)
class Dot:
    """An error against what was allowed, on a logarithmic scale: 100 is all that was."""

    label: str
    share: float
    position: float
    within: bool


DECADES = 6
FARTHEST = 120.0


def errors(checks: Sequence[ValidationCheck]) -> list[Dot]:
    """One dot for each check that compared numbers with a reference."""
    shares = ((check.name, _number(check.figures.get("share_of_allowed"))) for check in checks)
    return [_dot(name, share) for name, share in shares if share is not None]


def _number(value: object) -> float | None:
    """What JSON can't hold, such as infinity, is written there as a text."""
    try:
        return float(str(value))
    except ValueError:
        return None


def _dot(label: str, share: float) -> Dot:
    if not math.isfinite(share):
        return Dot(label, share, FARTHEST, False)
    decades = math.log10(share) if share > 0 else -DECADES
    position = 100 + 100 * max(-DECADES, decades) / DECADES
    return Dot(label, share, round(min(position, FARTHEST), 2), share <= 1)


@dataclass(frozen=True, slots=True)
class Share:
    """A bar for all, and within it one for what is approved."""

    label: str
    approved: int
    total: int
    length: float
    approved_length: float
    query: str


def shares(rows: Iterable[Sequence[object]], key: str) -> list[Share]:
    values = [(str(name), int(str(part)), int(str(whole))) for name, part, whole in rows]
    longest = max((whole for _, _, whole in values), default=0) or 1
    return [
        Share(
            name or "not known",
            part,
            whole,
            round(100 * whole / longest, 2),
            round(100 * part / longest, 2),
            f"{key}={name or 'none'}",
        )
        for name, part, whole in values
    ]
