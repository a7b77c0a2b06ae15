"""Mixing: caps on origins, weights relative to ordinary code, and a table of both."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from curation.evidence.sources import ExportSource
from curation.export.options import UPSAMPLE_BY_SOURCE, weights_by_name
from curation.export.selected_items import ORIGINS, SelectedItems
from curation.export.splits import SPLITS, keyed
from curation.models import Split

TRAIN = SPLITS.index(Split.TRAIN)


def over_cap(
    selected: SelectedItems, caps: Sequence[tuple[str, float]], seed: int
) -> NDArray[np.bool_]:
    """Mark records to drop, so that no capped origin exceeds its share of the tokens."""
    origins, tokens = np.asarray(selected.origins), np.asarray(selected.tokens)
    over = np.zeros(len(selected), dtype=np.bool_)
    have = {name: int(tokens[origins == ORIGINS.index(name)].sum()) for name, _ in caps}
    allowed = _allowed(have, dict(caps), int(tokens.sum()))
    for name, most in allowed.items():
        members = np.flatnonzero(origins == ORIGINS.index(name))
        keys = keyed(seed, np.asarray(selected.identities)[members])
        ordered = members[np.argsort(keys, kind="stable")]
        over[ordered[np.cumsum(tokens[ordered]) > most]] = True
    return over


def _allowed(have: Mapping[str, int], shares: Mapping[str, float], total: int) -> dict[str, float]:
    """Return the maximum number of tokens of each origin that exceeds its cap."""
    whole, biting = float(total), set[str]()
    while more := {name for name in have if have[name] > shares[name] * whole} - biting:
        biting |= more
        free = total - sum(have[name] for name in biting)
        whole = free / (1 - sum(shares[name] for name in biting))
    return {name: shares[name] * whole for name in biting}


def weigher(policy: str, sources: Mapping[int, ExportSource]) -> Callable[[int, str], float]:
    """Return a function from source and origin to the policy's weight."""
    weights = weights_by_name(policy)
    return cache(lambda source, origin: _weight(policy, weights, sources.get(source), origin))


def _weight(
    policy: str, weights: Mapping[str, float], source: ExportSource | None, origin: str
) -> float:
    if policy == UPSAMPLE_BY_SOURCE:
        return source.weight if source else 1.0
    if origin in weights:
        return weights[origin]
    return weights.get(source.category, 1.0) if source else 1.0


def repeats(weight: float, split: int, repeat_rows: bool) -> int:
    """Return how often a record is repeated in its file. Validation and test repeat no record."""
    return max(1, round(weight)) if repeat_rows and split == TRAIN else 1


@dataclass(frozen=True, slots=True)
class SourceShare:
    """A row of the mixing table."""

    source: str
    records: int
    tokens: int
    weighted: int

    def as_json(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "records": self.records,
            "tokens": self.tokens,
            "weighted_tokens": self.weighted,
        }


def table(kinds: Sequence[SelectedItems], sources: Mapping[int, ExportSource]) -> list[SourceShare]:
    """Return tokens by source, plain and weighted; the heaviest first."""
    names: dict[str, list[int]] = {}
    for selected in kinds:
        tokens = np.asarray(selected.tokens)
        both = np.asarray(selected.sources) * len(ORIGINS) + np.asarray(selected.origins)
        groups, group = np.unique(both, return_inverse=True)
        records = np.bincount(group, minlength=len(groups))
        plain = np.bincount(group, tokens, len(groups))
        weighted = np.bincount(group, tokens * np.asarray(selected.weights), len(groups))
        for number, key in enumerate(groups.tolist()):
            source, origin = divmod(key, len(ORIGINS))
            line = names.setdefault(sources[source].name if source else ORIGINS[origin], [0, 0, 0])
            line[0] += int(records[number])
            line[1] += int(plain[number])
            line[2] += round(float(weighted[number]))
    shares = [SourceShare(name, *figures) for name, figures in names.items()]
    return sorted(shares, key=lambda share: (-share.weighted, share.source))


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
