"""Shares of a dataset in the recommended mixes of the phases of training, for the card."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of training with the recommended mix, as lowest and highest values."""

    name: str
    triton: tuple[float, float]
    """Tokens of Triton."""
    share: tuple[float, float] | None = None
    """The share of all tokens, or None if the mix is not counted in tokens."""
    total: tuple[float, float] = (0, 0)
    """All tokens of the phase."""
    kinds: tuple[str, ...] = ("kernel", "pair")


PHASES = (
    Phase("base pretraining", (50e9, 100e9), (0.025, 0.05), (1e12, 2e12)),
    Phase("continued pretraining", (10e9, 20e9), (0.05, 0.1), (200e9, 500e9)),
    Phase("instruction tuning", (500e3, 2e6), kinds=("pair",)),
)


class PhaseRow(NamedTuple):
    """This dataset's share in the tokens of a phase, lowest and highest."""

    phase: Phase
    tokens: int
    share: tuple[float, float] | None
    repetitions: tuple[float, float] | None
    """None if it has no tokens for this phase."""


def by_phase(tokens: Mapping[str, int], total: int = 0) -> Iterator[PhaseRow]:
    """Yield a row for each phase.

    tokens: of the dataset, by kind.
    total: all tokens of the phase; 0: the recommended ones.
    """
    for phase in PHASES:
        available = sum(tokens[kind] for kind in phase.kinds)
        share, target = None, phase.triton
        if phase.share:
            totals = (float(total), float(total)) if total else phase.total
            share = (available / totals[1], available / totals[0])
            if total:
                target = (phase.share[0] * total, phase.share[1] * total)
        repetitions = (target[0] / available, target[1] / available) if available else None
        yield PhaseRow(phase, available, share, repetitions)


def in_words(row: PhaseRow) -> dict[str, Any]:
    return {
        "name": row.phase.name,
        "recommended": _range(row.phase.triton, _short),
        "recommended_share": _range(row.phase.share, _percent),
        "tokens": row.tokens,
        "share": _range(row.share, _percent),
        "repetitions": _range(row.repetitions, _times),
    }


def _range(ends: tuple[float, float] | None, spell: Callable[[float], str]) -> str:
    if ends is None:
        return "n/a"
    low, high = map(spell, ends)
    return low if low == high else f"{low} to {high}"


def _short(count: float) -> str:
    """Format a number with a unit: "50 B" for fifty billion."""
    for unit, name in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count:g}"


def _percent(share: float) -> str:
    if share < 1e-6:
        return "under 0.0001%"
    return f"{float(f'{100 * share:.2g}'):.10f}".rstrip("0").rstrip(".") + "%"


def _times(count: float) -> str:
    return f"{count:,.0f}" if count >= 10 else f"{count:.1f}"
