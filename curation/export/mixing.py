"""How much of what: caps on origins, weights against ordinary code, and the table of both."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from curation.evidence.sources import Source
from curation.export.options import UPSAMPLE_BY_SOURCE, weights_by_name
from curation.export.picks import ORIGINS, Picks
from curation.export.splits import SPLITS, keyed
from curation.models import Split

TRAIN = SPLITS.index(Split.TRAIN)


def over_cap(picks: Picks, caps: Sequence[tuple[str, float]], seed: int) -> NDArray[np.bool_]:
    """Which records go so that no capped origin has more than its share of the tokens."""
    origins, tokens = np.asarray(picks.origins), np.asarray(picks.tokens)
    over = np.zeros(len(picks), dtype=np.bool_)
    have = {name: int(tokens[origins == ORIGINS.index(name)].sum()) for name, _ in caps}
    allowed = _allowed(have, dict(caps), int(tokens.sum()))
    for name, most in allowed.items():
        members = np.flatnonzero(origins == ORIGINS.index(name))
        keys = keyed(seed, np.asarray(picks.identities)[members])
        ordered = members[np.argsort(keys, kind="stable")]
        over[ordered[np.cumsum(tokens[ordered]) > most]] = True
    return over


def _allowed(have: Mapping[str, int], shares: Mapping[str, float], total: int) -> dict[str, float]:
    """The tokens that each capped origin may have, where its cap bites at all."""
    whole, biting = float(total), set[str]()
    while more := {name for name in have if have[name] > shares[name] * whole} - biting:
        biting |= more
        free = total - sum(have[name] for name in biting)
        whole = free / (1 - sum(shares[name] for name in biting))
    return {name: shares[name] * whole for name in biting}


def weigher(policy: str, sources: Mapping[int, Source]) -> Callable[[int, str], float]:
    """Answers the weight that the policy names for a source, its category or an origin."""
    named = weights_by_name(policy)
    return cache(lambda source, origin: _weight(policy, named, sources.get(source), origin))


def _weight(policy: str, named: Mapping[str, float], source: Source | None, origin: str) -> float:
    if policy == UPSAMPLE_BY_SOURCE:
        return source.weight if source else 1.0
    if origin in named:
        return named[origin]
    return named.get(source.category, 1.0) if source else 1.0


def repeats(weight: float, split: int, repeat_rows: bool) -> int:
    """How often a record stands in its file. Only in train: a test counts each thing once."""
    return max(1, round(weight)) if repeat_rows and split == TRAIN else 1


@dataclass(frozen=True, slots=True)
class Share:
    """A line of the mixing table."""

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


def table(kinds: Sequence[Picks], sources: Mapping[int, Source]) -> list[Share]:
    """Tokens by source, as they are and as they weigh; the heaviest first."""
    names: dict[str, list[int]] = {}
    for picks in kinds:
        tokens = np.asarray(picks.tokens)
        both = np.asarray(picks.sources) * len(ORIGINS) + np.asarray(picks.origins)
        groups, group = np.unique(both, return_inverse=True)
        records = np.bincount(group, minlength=len(groups))
        plain = np.bincount(group, tokens, len(groups))
        weighted = np.bincount(group, tokens * np.asarray(picks.weights), len(groups))
        for number, key in enumerate(groups.tolist()):
            source, origin = divmod(key, len(ORIGINS))
            line = names.setdefault(sources[source].name if source else ORIGINS[origin], [0, 0, 0])
            line[0] += int(records[number])
            line[1] += int(plain[number])
            line[2] += round(float(weighted[number]))
    shares = [Share(name, *figures) for name, figures in names.items()]
    return sorted(shares, key=lambda share: (-share.weighted, share.source))


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of training with the mix that is recommended for it, lowest and highest."""

    name: str
    triton: tuple[float, float]
    """Tokens of Triton."""
    share: tuple[float, float] | None = None
    """The share of all tokens, or None for a mix that is not counted in tokens."""
    total: tuple[float, float] = (0, 0)
    """All tokens of the phase."""
    kinds: tuple[str, ...] = ("kernel", "pair")


PHASES = (
    Phase("base pretraining", (50e9, 100e9), (0.025, 0.05), (1e12, 2e12)),
    Phase("continued pretraining", (10e9, 20e9), (0.05, 0.1), (200e9, 500e9)),
    Phase("instruction tuning", (500e3, 2e6), kinds=("pair",)),
)


class PhaseRow(NamedTuple):
    """The share of this dataset in the tokens of a phase, lowest and highest."""

    phase: Phase
    tokens: int
    share: tuple[float, float] | None
    repetitions: tuple[float, float] | None
    """None: it has no tokens for this phase."""


def by_phase(tokens: Mapping[str, int], total: int = 0) -> Iterator[PhaseRow]:
    """Yield a row for each phase.

    tokens: of the dataset, by kind.
    total: all tokens of the phase; 0: the recommended ones.
    """
    for phase in PHASES:
        here = sum(tokens[kind] for kind in phase.kinds)
        share, wanted = None, phase.triton
        if phase.share:
            totals = (float(total), float(total)) if total else phase.total
            share = (here / totals[1], here / totals[0])
            if total:
                wanted = (phase.share[0] * total, phase.share[1] * total)
        repetitions = (wanted[0] / here, wanted[1] / here) if here else None
        yield PhaseRow(phase, here, share, repetitions)
