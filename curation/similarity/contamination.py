"""Whether a text overlaps a benchmark: the same syntax, a near twin, or a problem inside it.

Compared are whole texts and their single functions and classes, so that neither a helper beside
a copied kernel nor a kernel copied alone escapes. Texts too short to be anybody's are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from curation.similarity.definitions import comparable
from curation.similarity.duplicates import FLOOR_WORDS, THRESHOLD
from curation.similarity.minhash import Signature, bands, signatures
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
class Part:
    """The fingerprint of a text that belongs to a problem, or of one definition in it."""

    problem: str
    path: str
    syntax: str
    loose_syntax: str
    """The hash for which two texts are the same if only their constants differ."""
    words: int
    shingles: Shingles


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The benchmark's parts, found by syntax, by band and by shingle."""

    by_syntax: dict[str, list[Part]]
    by_loose_syntax: dict[str, list[Part]]
    parts: list[Part]
    own: list[Shingles]
    """The shingles of each part, without the idioms."""
    by_band: dict[tuple[int, int], list[int]]
    shingle_parts: tuple[Shingles, np.ndarray[tuple[int], np.dtype[np.int64]]] = field(repr=False)


def fingerprint_parts(texts: Iterable[BenchmarkText]) -> Iterator[Part]:
    """The parts of each text that are long enough to be compared."""
    for item in texts:
        for text, shingles, words in _parts(item.text):
            yield Part(item.problem, item.path, *syntax_hashes(text), words, shingles)


def index(parts: Iterable[Part]) -> Index:
    """The index of a benchmark's parts, from `fingerprint_parts` or from a file of them."""
    known = list(parts)
    by_syntax: defaultdict[str, list[Part]] = defaultdict(list)
    by_loose: defaultdict[str, list[Part]] = defaultdict(list)
    by_band: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for part in known:
        by_syntax[part.syntax].append(part)
        by_loose[part.loose_syntax].append(part)
    long = [number for number, part in enumerate(known) if part.words >= FLOOR_WORDS]
    for number, each in zip(long, signatures([known[n].shingles for n in long]), strict=True):
        for slot in enumerate(bands(each)):
            by_band[slot].append(number)
    idioms = _idioms(known)
    own = [np.setdiff1d(part.shingles, idioms, assume_unique=True) for part in known]
    return Index(dict(by_syntax), dict(by_loose), known, own, dict(by_band), _postings(own))


def matches(texts: str | Sequence[str], index: Index) -> tuple[Match, ...]:
    """The strongest match with each problem, the surest first.

    Of a pair give both sides; of a kernel its function and its standalone unit.
    """
    best: dict[str, Match] = {}
    given = [texts] if isinstance(texts, str) else texts
    # A kernel's function stands in its unit again: each text is compared once.
    parts = {part: shingles for text in given for part, shingles, _ in _parts(text)}
    signed = signatures([*parts.values()])
    for (part, shingles), each in zip(parts.items(), signed, strict=True):
        for match in _of_part(part, shingles, each, index):
            known = best.get(match.problem)
            if known is None or _sureness(match) < _sureness(known):
                best[match.problem] = match
    return tuple(sorted(best.values(), key=_sureness))


def _parts(text: str) -> list[tuple[str, Shingles, int]]:
    """The text and what of it may be taken alone, without what is too short to be anybody's."""
    texts = comparable(text)
    measured = zip(texts, shingles_and_counts(texts), strict=True)
    return [(part, found, words) for part, (found, words) in measured if words >= LEAST_WORDS]


def _of_part(text: str, shingles: Shingles, signed: Signature, index: Index) -> Iterable[Match]:
    exact, loose = syntax_hashes(text)
    for item in index.by_syntax.get(exact, ()):
        yield Match(item.problem, item.path, "syntax", 1.0)
    for item in index.by_loose_syntax.get(loose, ()):
        yield Match(item.problem, item.path, "syntax", 1.0, constants_differ=True)
    candidates = {
        number for slot in enumerate(bands(signed)) for number in index.by_band.get(slot, ())
    }
    for number in candidates:
        part = index.parts[number]
        similarity = jaccard(shingles, part.shingles)
        if similarity >= THRESHOLD:
            yield Match(part.problem, part.path, "near", similarity)
    for number in _sharing(shingles, index):
        part = index.parts[number]
        share = containment(index.own[number], shingles)
        if share >= CONTAINED:
            yield Match(part.problem, part.path, "contained", share)


def _sharing(shingles: Shingles, index: Index) -> list[int]:
    """The longer parts that share enough shingles with a text to be inside it."""
    known, owners = index.shingle_parts
    first = np.searchsorted(known, shingles, side="left")
    after = np.searchsorted(known, shingles, side="right")
    hit = np.flatnonzero(after > first)
    shared = Counter(int(owner) for place in hit for owner in owners[first[place] : after[place]])
    return [
        number for number, count in shared.items() if count >= CONTAINED * len(index.own[number])
    ]


def _postings(
    every_own: Sequence[Shingles],
) -> tuple[Shingles, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    long = [(n, own) for n, own in enumerate(every_own) if len(own) >= CONTAINED_FLOOR]
    if not long:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    every = np.concatenate([own for _, own in long])
    owners = np.repeat([n for n, _ in long], [len(own) for _, own in long]).astype(np.int64)
    order = np.argsort(every, kind="stable")
    return every[order], owners[order]


def _idioms(parts: Sequence[Part]) -> Shingles:
    """The shingles that `IDIOM` problems or more hold."""
    by_problem: defaultdict[str, list[Shingles]] = defaultdict(list)
    for part in parts:
        by_problem[part.problem].append(part.shingles)
    if not by_problem:
        return np.zeros(0, np.uint64)
    distinct = [np.unique(np.concatenate(held)) for held in by_problem.values()]
    values, counts = np.unique(np.concatenate(distinct), return_counts=True)
    return values[counts >= IDIOM]


def _sureness(match: Match) -> tuple[int, bool, float, str]:
    order = {"syntax": 0, "near": 1, "contained": 2}
    return (order[match.method], match.constants_differ, -match.similarity, match.problem)
