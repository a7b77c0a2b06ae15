"""Share of the recommended token mix that the dataset supplies, for each phase of training."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

Range = tuple[float, float]
"""Lowest and highest value of a recommendation."""


class Phase(NamedTuple):
    """A phase of training with the recommended mix.

    triton, total: tokens of Triton, and all tokens of the phase.
    share: share of Triton in all tokens, or None without a recommendation.
    """

    name: str
    triton: Range
    share: Range | None = None
    total: Range = (0, 0)
    kinds: tuple[str, ...] = ("kernel", "pair")


PHASES = (
    Phase("base pretraining", (50e9, 100e9), (0.025, 0.05), (1e12, 2e12)),
    Phase("continued pretraining", (10e9, 20e9), (0.05, 0.1), (200e9, 500e9)),
    Phase("instruction tuning", (500e3, 2e6), kinds=("pair",)),
)


class PhaseRow(NamedTuple):
    """Tokens and shares of this dataset in a phase."""

    phase: Phase
    tokens: int
    share: Range | None
    repetitions: Range | None
    """Number of repetitions of the dataset. None if the dataset has no tokens for this phase."""

    def in_words(self) -> dict[str, Any]:
        return {
            "name": self.phase.name,
            "recommended": _range(self.phase.triton, _short),
            "recommended_share": _range(self.phase.share, _percent),
            "tokens": self.tokens,
            "share": _range(self.share, _percent),
            "repetitions": _range(self.repetitions, _times),
        }


def by_phase(tokens: Mapping[str, int], total: int = 0) -> Iterator[PhaseRow]:
    """Yield a row for each phase.

    tokens: number of the dataset's tokens, by kind.
    total: number of all tokens of the phase, or 0 for the recommended number.
    """
    for phase in PHASES:
        available = sum(tokens[kind] for kind in phase.kinds)
        share, (low, high) = None, phase.triton
        if phase.share:
            least, most = (total, total) if total else phase.total
            share = (available / most, available / least)
            if total:
                low, high = (part * total for part in phase.share)
        repetitions = (low / available, high / available) if available else None
        yield PhaseRow(phase, available, share, repetitions)


def _range(ends: Range | None, spell: Callable[[float], str]) -> str:
    return " to ".join(dict.fromkeys(map(spell, ends))) if ends else "n/a"


def _short(count: float) -> str:
    """Format a number with a unit: "50 B" for fifty billion."""
    units = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))
    return next(f"{count / unit:g} {name}" for unit, name in units if count >= unit)


def _percent(share: float) -> str:
    if share < 1e-6:
        return "under 0.0001%"
    return f"{float(f'{100 * share:.2g}'):.10f}".rstrip("0").rstrip(".") + "%"


def _times(count: float) -> str:
    return f"{count:,.0f}" if count >= 10 else f"{count:.1f}"
