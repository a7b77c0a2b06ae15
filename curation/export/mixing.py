"""How much of what: caps on origins, weights against ordinary code, and the table of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curation.evidence.sources import Source
from curation.export.options import UPSAMPLE_BY_SOURCE, weights_by_name
from curation.export.picks import Picks
from curation.export.splits import SPLITS, keyed
from curation.models import PairOrigin, Split

ORIGINS = tuple(PairOrigin.values)
TRAIN = SPLITS.index(Split.TRAIN)


def over_cap(picks: Picks, caps: Sequence[tuple[str, float]], seed: int) -> NDArray[np.bool_]:
    """Which records go so that no capped origin has more than its share of the tokens."""
    origins, tokens = np.asarray(picks.origins), np.asarray(picks.tokens)
    over = np.zeros(len(picks), dtype=np.bool_)
    have = {name: int(tokens[origins == ORIGINS.index(name)].sum()) for name, _ in caps}
    allowed = _allowed(have, dict(caps), int(tokens.sum()))
    for name, most in allowed.items():
        members = np.flatnonzero(origins == ORIGINS.index(name))
        keys = [keyed(seed, picks.identities[member]) for member in members.tolist()]
        ordered = members[np.argsort(np.asarray(keys, dtype=np.uint64), kind="stable")]
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


def weigh(picks: Picks, policy: str, sources: Mapping[int, Source]) -> None:
    """Give each record the weight that the policy names for its source, category or origin."""
    named = weights_by_name(policy)
    weights = {}
    for source, origin in set(zip(picks.sources, picks.origins, strict=True)):
        weights[source, origin] = _weight(policy, named, sources.get(source), ORIGINS[origin])
    pairs = zip(picks.sources, picks.origins, strict=True)
    picks.weights = np.fromiter((weights[pair] for pair in pairs), dtype=np.float64)


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
        of, tokens, weights = np.asarray(picks.sources), np.asarray(picks.tokens), picks.weights
        origins = np.asarray(picks.origins)
        for source in np.unique(of).tolist():
            for origin in np.unique(origins[of == source]).tolist():
                here = (of == source) & (origins == origin)
                name = sources[source].name if source else ORIGINS[origin]
                line = names.setdefault(name, [0, 0, 0])
                line[0] += int(here.sum())
                line[1] += int(tokens[here].sum())
                line[2] += round(float((tokens[here] * weights[here]).sum()))
    shares = [Share(name, *figures) for name, figures in names.items()]
    return sorted(shares, key=lambda share: (-share.weighted, share.source))
