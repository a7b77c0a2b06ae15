"""Overlap of a text with a benchmark: same syntax, near-duplicate, or containing a problem.

Complete texts are compared, and also each function and class alone. So a copied kernel is found
although the code around it differs. Texts that are too short to be distinctive are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
"""Minimum length in words. Shorter texts may be equal by chance, even in their complete syntax."""
CONTAINED = 0.8
"""Minimum share of a problem's shingles in a text that counts as containing the problem."""
CONTAINED_FLOOR = 100
"""Minimum number of shingles that are not idioms. A part with fewer may be mostly idioms."""
IDIOM = 4
"""Number of problems from which on a shingle is an idiom."""


@dataclass(frozen=True, slots=True)
class BenchmarkText:
    problem: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class BenchmarkMatch:
    problem: str
    path: str
    method: Method
    similarity: float
    constants_differ: bool = False
    """True if the syntax is the same, but some numbers or strings differ."""


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkPart:
    """Fingerprint of a benchmark text, or of one definition in it."""

    problem: str
    path: str
    syntax: str
    loose_syntax: str
    """Hash that is the same for texts that differ only in constants."""
    words: int
    shingles: Shingles


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Index of a benchmark's parts by syntax, band and shingle."""

    by_syntax: dict[str, list[BenchmarkPart]]
    by_loose_syntax: dict[str, list[BenchmarkPart]]
    parts: list[BenchmarkPart]
    own: list[Shingles]
    """Shingles of each part, without idioms."""
    by_band: dict[tuple[int, int], list[int]]
    by_shingle: dict[int, list[int]] = field(repr=False)
    """Numbers of the parts with at least CONTAINED_FLOOR shingles in `own`, by shingle."""


def fingerprint_parts(texts: Iterable[BenchmarkText]) -> Iterator[BenchmarkPart]:
    """Yield the parts of each text that are long enough to be compared."""
    for item in texts:
        for text, shingles, words in _parts(item.text):
            yield BenchmarkPart(item.problem, item.path, *syntax_hashes(text), words, shingles)


def index(parts: Iterable[BenchmarkPart]) -> Index:
    """Build the index of parts from `fingerprint_parts` or from a file."""
    known = list(parts)
    by_syntax: defaultdict[str, list[BenchmarkPart]] = defaultdict(list)
    by_loose: defaultdict[str, list[BenchmarkPart]] = defaultdict(list)
    by_band: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for part in known:
        by_syntax[part.syntax].append(part)
        by_loose[part.loose_syntax].append(part)
    for number, part in enumerate(known):
        if part.words >= FLOOR_WORDS:
            for slot in enumerate(bands(signature(part.shingles))):
                by_band[slot].append(number)
    idioms = _idioms(known)
    own = [np.setdiff1d(part.shingles, idioms, assume_unique=True) for part in known]
    by_shingle: defaultdict[int, list[int]] = defaultdict(list)
    for number, part_own in enumerate(own):
        if len(part_own) >= CONTAINED_FLOOR:
            for shingle in part_own.tolist():
                by_shingle[shingle].append(number)
    return Index(dict(by_syntax), dict(by_loose), known, own, dict(by_band), dict(by_shingle))


def matches(texts: str | Sequence[str], index: Index) -> tuple[BenchmarkMatch, ...]:
    """Return the strongest match with each problem, the most certain first.

    Pass the Python and Triton code of a pair, or a kernel's function and its standalone unit.
    """
    best: dict[str, BenchmarkMatch] = {}
    all_texts = [texts] if isinstance(texts, str) else texts
    # A kernel's function is also part of its unit, so compare equal parts only once.
    parts = {part: shingles for text in all_texts for part, shingles, _ in _parts(text)}
    for part, shingles in parts.items():
        for match in _of_part(part, shingles, index):
            known = best.get(match.problem)
            if known is None or _sureness(match) < _sureness(known):
                best[match.problem] = match
    return tuple(sorted(best.values(), key=_sureness))


def _parts(text: str) -> list[tuple[str, Shingles, int]]:
    """Return the text and its definitions, except those that are too short to be distinctive."""
    texts = comparable(text)
    measured = zip(texts, shingles_and_counts(texts), strict=True)
    return [(part, found, words) for part, (found, words) in measured if words >= LEAST_WORDS]


def _of_part(text: str, shingles: Shingles, index: Index) -> Iterable[BenchmarkMatch]:
    exact, loose = syntax_hashes(text)
    for item in index.by_syntax.get(exact, ()):
        yield BenchmarkMatch(item.problem, item.path, "syntax", 1.0)
    for item in index.by_loose_syntax.get(loose, ()):
        yield BenchmarkMatch(item.problem, item.path, "syntax", 1.0, constants_differ=True)
    slots = enumerate(bands(signature(shingles)))
    candidates = {number for slot in slots for number in index.by_band.get(slot, ())}
    for number in candidates:
        part = index.parts[number]
        similarity = jaccard(shingles, part.shingles)
        if similarity >= THRESHOLD:
            yield BenchmarkMatch(part.problem, part.path, "near", similarity)
    for number in _sharing(shingles, index):
        part = index.parts[number]
        share = containment(index.own[number], shingles)
        if share >= CONTAINED:
            yield BenchmarkMatch(part.problem, part.path, "contained", share)


def _sharing(shingles: Shingles, index: Index) -> list[int]:
    """Return the longer parts that share so many shingles with a text that it may contain them."""
    shared = Counter(
        number for shingle in shingles.tolist() for number in index.by_shingle.get(shingle, ())
    )
    return [
        number for number, count in shared.items() if count >= CONTAINED * len(index.own[number])
    ]


def _idioms(parts: Sequence[BenchmarkPart]) -> Shingles:
    """Return the shingles that occur in at least `IDIOM` problems."""
    by_problem: defaultdict[str, list[Shingles]] = defaultdict(list)
    for part in parts:
        by_problem[part.problem].append(part.shingles)
    if not by_problem:
        return np.zeros(0, np.uint64)
    distinct = [np.unique(np.concatenate(held)) for held in by_problem.values()]
    values, counts = np.unique(np.concatenate(distinct), return_counts=True)
    return values[counts >= IDIOM]


def _sureness(match: BenchmarkMatch) -> tuple[int, bool, float, str]:
    order = {"syntax": 0, "near": 1, "contained": 2}
    return (order[match.method], match.constants_differ, -match.similarity, match.problem)
