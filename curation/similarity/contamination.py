"""Whether a text overlaps a benchmark: the same syntax, a near twin, or a problem inside it.

Compared are whole texts and their single functions and classes, so that neither a helper beside
a copied kernel nor a kernel copied alone escapes. Texts too short to be anybody's are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from curation.similarity.definitions import comparable
from curation.similarity.duplicates import FLOOR_WORDS, THRESHOLD
from curation.similarity.minhash import bands, signature
from curation.similarity.shingles import Shingles, containment, jaccard, shingles_and_counts
from curation.similarity.syntax import syntax_hashes

Method = Literal["syntax", "near", "contained"]

LEAST_WORDS = 40
"""Two shorter texts may well be the same by chance, even in their whole syntax."""
CONTAINED = 0.8
"""The share of a problem's shingles that must occur in a text."""
CONTAINED_FLOOR = 100
"""Of a problem with fewer shingles of its own, idioms alone may make most."""
IDIOM = 4
"""A shingle of this many problems is nobody's."""


@dataclass(frozen=True, slots=True)
class BenchmarkText:
    problem: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    problem: str
    path: str
    method: Method
    similarity: float
    constants_differ: bool = False
    """The same syntax but for its numbers and strings."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    of: BenchmarkText
    shingles: Shingles
    own: Shingles
    """Its shingles without the idioms."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The benchmark's parts, found by syntax, by band and by shingle."""

    by_syntax: dict[str, list[BenchmarkText]]
    by_loose_syntax: dict[str, list[BenchmarkText]]
    parts: list[_Part]
    by_band: dict[tuple[int, int], list[int]]
    shingle_parts: tuple[Shingles, np.ndarray[tuple[int], np.dtype[np.int64]]] = field(repr=False)


def index(benchmark: Iterable[BenchmarkText]) -> Index:
    by_syntax: defaultdict[str, list[BenchmarkText]] = defaultdict(list)
    by_loose: defaultdict[str, list[BenchmarkText]] = defaultdict(list)
    by_band: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    found: list[tuple[BenchmarkText, Shingles]] = []
    for item in benchmark:
        for text, shingles, words in _parts(item.text):
            exact, loose = syntax_hashes(text)
            by_syntax[exact].append(item)
            by_loose[loose].append(item)
            if words >= FLOOR_WORDS:
                for slot in enumerate(bands(signature(shingles))):
                    by_band[slot].append(len(found))
            found.append((item, shingles))
    idioms = _idioms(found)
    parts = [_Part(item, s, np.setdiff1d(s, idioms, assume_unique=True)) for item, s in found]
    return Index(dict(by_syntax), dict(by_loose), parts, dict(by_band), _postings(parts))


def matches(texts: str | Sequence[str], index: Index) -> tuple[Match, ...]:
    """The strongest match with each problem, the surest first.

    Of a pair give both sides; of a kernel its function and its standalone unit.
    """
    best: dict[str, Match] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        for part, shingles, _ in _parts(text):
            for match in _of_part(part, shingles, index):
                known = best.get(match.problem)
                if known is None or _sureness(match) < _sureness(known):
                    best[match.problem] = match
    return tuple(sorted(best.values(), key=_sureness))


def _parts(text: str) -> list[tuple[str, Shingles, int]]:
    """The text and what of it may be taken alone, without what is too short to be anybody's."""
    texts = comparable(text)
    measured = zip(texts, shingles_and_counts(texts), strict=True)
    return [(part, found, words) for part, (found, words) in measured if words >= LEAST_WORDS]


def _of_part(text: str, shingles: Shingles, index: Index) -> Iterable[Match]:
    exact, loose = syntax_hashes(text)
    for item in index.by_syntax.get(exact, ()):
        yield Match(item.problem, item.path, "syntax", 1.0)
    for item in index.by_loose_syntax.get(loose, ()):
        yield Match(item.problem, item.path, "syntax", 1.0, constants_differ=True)
    candidates = {
        number
        for slot in enumerate(bands(signature(shingles)))
        for number in index.by_band.get(slot, ())
    }
    for number in candidates:
        part = index.parts[number]
        similarity = jaccard(shingles, part.shingles)
        if similarity >= THRESHOLD:
            yield Match(part.of.problem, part.of.path, "near", similarity)
    for number in _sharing(shingles, index):
        part = index.parts[number]
        share = containment(part.own, shingles)
        if share >= CONTAINED:
            yield Match(part.of.problem, part.of.path, "contained", share)


def _sharing(shingles: Shingles, index: Index) -> list[int]:
    """The longer parts that share enough shingles with a text to be inside it."""
    known, owners = index.shingle_parts
    first = np.searchsorted(known, shingles, side="left")
    after = np.searchsorted(known, shingles, side="right")
    hit = np.flatnonzero(after > first)
    shared = Counter(int(owner) for place in hit for owner in owners[first[place] : after[place]])
    return [
        number
        for number, count in shared.items()
        if count >= CONTAINED * len(index.parts[number].own)
    ]


def _postings(
    parts: Sequence[_Part],
) -> tuple[Shingles, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    long = [(n, part.own) for n, part in enumerate(parts) if len(part.own) >= CONTAINED_FLOOR]
    if not long:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    every = np.concatenate([own for _, own in long])
    owners = np.repeat([n for n, _ in long], [len(own) for _, own in long]).astype(np.int64)
    order = np.argsort(every, kind="stable")
    return every[order], owners[order]


def _idioms(found: Sequence[tuple[BenchmarkText, Shingles]]) -> Shingles:
    by_problem: defaultdict[str, list[Shingles]] = defaultdict(list)
    for item, shingles in found:
        by_problem[item.problem].append(shingles)
    if not by_problem:
        return np.zeros(0, np.uint64)
    distinct = [np.unique(np.concatenate(parts)) for parts in by_problem.values()]
    values, counts = np.unique(np.concatenate(distinct), return_counts=True)
    return values[counts >= IDIOM]


def _sureness(match: Match) -> tuple[int, bool, float, str]:
    order = {"syntax": 0, "near": 1, "contained": 2}
    return (order[match.method], match.constants_differ, -match.similarity, match.problem)
