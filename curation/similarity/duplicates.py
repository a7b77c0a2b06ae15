"""Clusters of near-duplicates without chaining, maintained item by item.

The rule: items are placed in the order of `rank`, best first. An item that is near representatives
becomes a member of the best of them. Any other item is a representative. In any order of arrival,

 1. a member is near its representative, by the exact similarity;
 2. no two representatives are near each other;
 3. a representative comes before each of its members in the order of `rank`;
 4. the same items have the same representatives and members.

1 and 3 always hold. 2 and 4 hold if `near` finds all near-duplicates (at 0.7, bands find 99%).
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from curation.similarity.fingerprint import Fingerprint
from curation.similarity.shingles import jaccard

THRESHOLD = 0.7
FLOOR_WORDS = 100
"""Minimum words. A shorter text is a near-duplicate only if its syntax is equal: `sqrt(x)` and
`exp(x)` in the usual kernel have a similarity of 0.8, but are different operations."""

Likeness = Literal["exact", "near"]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about an item on which its rank depends."""

    content_hash: str
    permissive: bool = False
    documented: bool = False
    stars: int = 0
    hardware: str = "cuda"
    rejected: bool = False
    approved: bool = False


Rank = tuple[bool, bool, bool, bool, bool, int, str]


def rank(facts: Facts) -> Rank:
    """Return the rank: by permissive license, then CUDA, then documentation, then number of stars.

    Ties are broken by the content's hash. Rejected items come last. Approved items come before
    others of equal license and hardware: replacing one would remove it from the dataset.
    """
    return (
        facts.rejected,
        not facts.permissive,
        facts.hardware != "cuda",
        not facts.approved,
        not facts.documented,
        -facts.stars,
        facts.content_hash,
    )


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """A near-duplicate of an item. `of`: its representative, or None if it represents itself."""

    key: int
    facts: Facts
    likeness: Likeness
    similarity: float
    of: int | None
    of_facts: Facts | None


@dataclass(frozen=True, slots=True)
class Link:
    of: int
    likeness: Likeness
    similarity: float


Near = Callable[[int], Sequence[NearDuplicate]]
"""Function that returns an item's near-duplicates, found by band or syntax hash and verified."""

Placement = Mapping[int, Link | None]
"""New link of each item that must move. None makes the item a representative."""


class Version(Protocol):
    """An item that may be a later version of another item."""

    @property
    def syntax_hash(self) -> str: ...
    @property
    def functions(self) -> frozenset[str]: ...
    @property
    def hardware(self) -> str: ...
    @property
    def lineage(self) -> int:
        """Key of the first version. It is the same for all versions of an item."""
        ...


def may_represent(first: Version, second: Version) -> bool:
    """Return True if one of two items with similar texts may represent the other.

    Both must compute the same function, because by shingles `min` is a near-duplicate of `max`: one
    word in two hundred differs. If their hardware differs, their syntax must be the same. Versions
    of one item are never near-duplicates. Otherwise an approved predecessor could represent an
    edit, which would then never be exported.
    """
    if first.lineage == second.lineage or first.functions.isdisjoint(second.functions):
        return False
    return first.hardware == second.hardware or first.syntax_hash == second.syntax_hash


def likeness(first: Fingerprint, second: Fingerprint) -> tuple[Likeness, float] | None:
    """Return how similar two items' texts are, or None if they are not near. Symmetric."""
    if first.syntax_hash == second.syntax_hash:
        return "exact", 1.0
    if min(first.words, second.words) < FLOOR_WORDS:
        return None
    # Sets of very different sizes can't be near, so skip the comparison.
    smaller, larger = sorted((len(first.shingles), len(second.shingles)))
    if smaller < THRESHOLD * larger:
        return None
    similarity = jaccard(first.shingles, second.shingles)
    return ("near", similarity) if similarity >= THRESHOLD else None


def place(
    new: int,
    facts: Facts,
    near: Near,
    *,
    representatives: Near | None = None,
) -> Placement:
    """Return the link of a new item, and the links of items that must move because of it.

    It queries near-duplicates of the new item. It queries those of other items only if the new item
    replaces a representative. To update an item's facts, remove the item and place it again.

    `representatives`: like `near`, but returns only representatives. It avoids comparing a new
    member of a large cluster with all other members.
    """
    if representatives is not None:
        above = [other for other in representatives(new) if rank(other.facts) < rank(facts)]
        if above:
            best = min(above, key=lambda other: rank(other.facts))
            return {new: Link(best.key, best.likeness, best.similarity)}
    return _settle({new: facts}, near, frozenset())


def remove(gone: Collection[int], near: Near) -> Placement:
    """Return the new links when items leave. `near` still returns the leaving items.

    Pass all leaving items at once. If they left one by one, an item could get a representative that
    leaves next.
    """
    leaving = frozenset(gone)
    remaining = {
        other.key: other.facts
        for key in leaving
        for other in near(key)
        if other.of == key and other.key not in leaving
    }
    return _settle(remaining, near, leaving)


def _settle(
    unsettled: Mapping[int, Facts], near: Near, gone: frozenset[int]
) -> dict[int, Link | None]:
    """Place items, best first, so that each depends only on items that are placed already."""
    queue = [(rank(facts), key) for key, facts in unsettled.items()]
    heapq.heapify(queue)
    queued = {*unsettled}
    before: dict[int, int | None] = {}
    placed: dict[int, Link | None] = {}
    introduced: defaultdict[int, dict[int, NearDuplicate]] = defaultdict(dict)
    while queue:
        own_rank, key = heapq.heappop(queue)
        # `near` does not return a new item, because it is not stored yet.
        known = {**introduced[key], **{other.key: other for other in near(key)}}
        others = [other for other in known.values() if other.key not in gone]
        above = [t for t in others if rank(t.facts) < own_rank and _stands(t, placed)]
        best = min(above, key=lambda t: rank(t.facts), default=None)
        placed[key] = Link(best.key, best.likeness, best.similarity) if best else None
        for other in others:
            if key in unsettled:
                itself = NearDuplicate(
                    key, unsettled[key], other.likeness, other.similarity, None, None
                )
                introduced[other.key][key] = itself
            if other.key in queued or other.key in placed or rank(other.facts) < own_rank:
                continue
            before.setdefault(other.key, other.of)
            if best is None and other.of_facts is not None and own_rank < rank(other.of_facts):
                # `other` is near no representative that ranks before this item.
                placed[other.key] = Link(key, other.likeness, other.similarity)
            elif other.of == key if best else other.of is None:
                # `other` lost its representative, or can't be a representative. Place it again.
                queued.add(other.key)
                heapq.heappush(queue, (rank(other.facts), other.key))
    return {
        key: link
        for key, link in placed.items()
        if key not in before or before[key] != (link.of if link else None)
    }


def _stands(other: NearDuplicate, placed: Mapping[int, Link | None]) -> bool:
    return placed[other.key] is None if other.key in placed else other.of is None
