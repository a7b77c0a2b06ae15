"""Shingles of a text: hashes of runs of words, in which names are replaced by relative positions.

So `acc = acc + x` and `s = s + v` give the same shingle, but `acc = x + acc` gives another. A copy
with other names has the same shingles. An inserted line changes only runs that cross it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from curation.similarity.words import Codes, Flags, in_batches, mix64, words

WORDS_PER_SHINGLE = 7

Shingles = NDArray[np.uint64]
"""Sorted hashes without duplicates."""


def shingles(texts: Iterable[str]) -> list[Shingles]:
    return [found for found, _ in shingles_and_counts(texts)]


def shingles_and_counts(texts: Iterable[str]) -> list[tuple[Shingles, int]]:
    """Return each text's shingles, and its number of words."""
    result: list[tuple[Shingles, int]] = []
    for batch in in_batches(texts):
        these = words(batch)
        hashes = _hashes(these.codes, these.are_names)
        for start, end in itertools.pairwise(these.starts.tolist()):
            run = hashes[start : max(start, end - WORDS_PER_SHINGLE + 1)]
            result.append((_distinct(run), end - start))
    return result


def _distinct(run: Codes) -> Shingles:
    """Return `np.unique(run)`, but faster for small arrays."""
    run = np.sort(run)
    return run[np.append(True, run[1:] != run[:-1])] if len(run) else run


def jaccard(first: Shingles, second: Shingles) -> float:
    """Return the exact Jaccard similarity, or 0 for two empty sets."""
    shared = shared_count(first, second)
    every = len(first) + len(second) - shared
    return shared / every if every else 0.0


def containment(part: Shingles, whole: Shingles) -> float:
    """Return the share of `part` that is in `whole`."""
    return shared_count(part, whole) / len(part) if len(part) else 0.0


def shared_count(one: Shingles, other: Shingles) -> int:
    both = np.concatenate((one, other))
    both.sort()
    return int(np.count_nonzero(both[1:] == both[:-1]))


_WEIGHTS = mix64(np.arange(1, 33, dtype=np.uint64)) | np.uint64(1)
_NAMES = mix64(np.arange(101, 133, dtype=np.uint64))


def _hashes(codes: Codes, are_names: Flags) -> Codes:
    """Return the hash of the run that starts at each word.

    The hash of a run that crosses the end of a text is meaningless.
    """
    size = WORDS_PER_SHINGLE
    count = max(0, len(codes) - size + 1)
    total = np.zeros(count, np.uint64)
    back = _distance_to_previous(codes, are_names, size)
    as_new = np.where(are_names, _NAMES[0], codes)
    as_known = _NAMES[back]
    for place in range(size if count else 0):
        window = slice(place, place + count)
        # Instead of a name, hash the distance to its previous occurrence in the same run.
        total += np.where(back[window] <= place, as_known[window], as_new[window]) * _WEIGHTS[place]
    return mix64(total)


def _distance_to_previous(codes: Codes, are_names: Flags, size: int) -> NDArray[np.uint8]:
    """Return each name's distance to its previous occurrence, if it is shorter than a run."""
    back = np.full(len(codes), size, np.uint8)
    for distance in range(size - 1, 0, -1):
        same = (codes[distance:] == codes[:-distance]) & are_names[distance:]
        same &= are_names[:-distance]
        back[distance:][same] = distance
    return back
