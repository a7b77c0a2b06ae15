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
    """An error against what was allowed, on a logarithmic scale: 100 is the tolerance itself."""

    label: str
    error: float
    tolerance: float
    position: float
    within: bool


DECADES = 6


def errors(checks: Sequence[ValidationCheck]) -> list[Dot]:
    return [
        _dot(check.name, float(error), float(allowed))
        for check in checks
        for error, allowed in [_figures(check.figures)]
        if error is not None and allowed is not None
    ]


def _figures(figures: object) -> tuple[float | None, float | None]:
    if not isinstance(figures, dict):
        return None, None
    found = [
        next((figures[name] for name in names if isinstance(figures.get(name), int | float)), None)
        for names in (
            ("max_abs_error", "error", "max_error"),
            ("tolerance", "atol", "allowed"),
        )
    ]
    return found[0], found[1]


def _dot(label: str, error: float, tolerance: float) -> Dot:
    within = error <= tolerance
    if not math.isfinite(error) or tolerance <= 0:
        return Dot(label, error, tolerance, 120.0 if not within else 0.0, within)
    decades = math.log10(error / tolerance) if error > 0 else -DECADES
    position = 100 + 100 * max(-DECADES, min(decades, DECADES / 5)) / DECADES
    return Dot(label, error, tolerance, round(min(position, 120), 2), within)


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
