"""Detection of repetition among texts.

Two texts are compared by structure, without names and numbers. So renamed variables and changed
constants do not hide a repetition.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from datasketch import LeanMinHash, MinHashLSH
from numpy.typing import NDArray

from curation.similarity.minhash import BANDS, PERMUTATIONS, ROWS, SEED, Signature
from curation.similarity.shingles import jaccard
from curation.similarity.structure import Structure, as_shingles, structure

NEAR = 0.8
"""Minimum similarity of two texts that count as near when a set is generated."""
LIKELY = NEAR - 0.15
"""Minimum estimated similarity for a comparison. Few estimates in a thousand are off by 0.15."""
THRESHOLDS = (0.7, 0.8)
"""Similarities for which a report states the share of texts with such a similar text."""
SAMPLE = 4_000
"""Maximum number of texts that are compared with all others. A larger set is sampled."""


class TextFamilies:
    """Families of similar texts. Each new text joins the family of the most similar earlier text.

    datasketch's index takes 11,500 texts a second. A dictionary of bands took 20,000, but only 79
    pairs are generated a second (2026-11-26).
    """

    def __init__(self) -> None:
        self._texts: list[Structure] = []
        self._family: list[int] = []
        self._members: list[int] = []
        # One array, which doubles when it is full, so that a text is compared with many at once.
        self._signatures = np.zeros((1024, PERMUTATIONS), np.uint32)
        self._index = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS))

    def nearest(self, text: Structure, signature: Signature) -> int | None:
        """Return the family of the most similar text, or None if its similarity is below 0.8."""
        candidates = np.array(self._index.query(_min_hash(signature)), np.int64)
        shared = np.count_nonzero(self._signatures[candidates] == signature, axis=1)
        likely = shared >= LIKELY * PERMUTATIONS
        # Compare in order of estimated similarity, because usually the first text is near enough.
        order = np.lexsort((candidates[likely], -shared[likely]))
        wide = as_shingles(text)
        ordered: list[int] = candidates[likely][order].tolist()
        for number in ordered:
            if jaccard(wide, as_shingles(self._texts[number])) >= NEAR:
                return self._family[number]
        return None

    def add(self, text: Structure, signature: Signature, family: int | None) -> None:
        """Add a text to a family, or to a new family if `family` is None."""
        if family is None:
            family = len(self._members)
            self._members.append(0)
        self._members[family] += 1
        number = len(self._texts)
        if number == len(self._signatures):
            self._signatures = np.concatenate((self._signatures, np.zeros_like(self._signatures)))
        self._signatures[number] = signature
        self._texts.append(text)
        self._family.append(family)
        self._index.insert(number, _min_hash(signature), check_duplication=False)

    def size(self, family: int) -> int:
        return self._members[family]


def _min_hash(signature: Signature) -> LeanMinHash:
    return LeanMinHash(seed=SEED, hashvalues=signature, scheme="affine32")


def shares_with_neighbor(texts: Sequence[str]) -> dict[float, float]:
    """Return for each threshold the share of texts that have another text at least that similar."""
    nearest = nearest_neighbors([structure(text) for text in texts])
    return {
        threshold: float(np.mean(nearest >= threshold)) if len(nearest) else 0.0
        for threshold in THRESHOLDS
    }


def nearest_neighbors(texts: Sequence[Structure]) -> NDArray[np.float64]:
    """Return for each text (or a sample) the similarity of the other text that is most similar."""
    sizes = np.array([len(text) for text in texts], np.int64)
    grams = np.concatenate([np.zeros(0, np.uint32), *texts])
    owners = np.repeat(np.arange(len(texts)), sizes)
    order = np.argsort(grams, kind="stable")
    grams, owners = grams[order], owners[order]
    step = max(1, len(texts) // SAMPLE)
    similarities = []
    for number in range(0, len(texts), step):
        text = texts[number]
        starts = np.searchsorted(grams, text, "left")
        ends = np.searchsorted(grams, text, "right")
        holders = [owners[start:end] for start, end in zip(starts, ends, strict=True)]
        shared = np.bincount(np.concatenate(holders), minlength=len(texts))
        shared[number] = 0
        similarities.append(float(np.max(shared / (sizes + len(text) - shared))))
    return np.array(similarities)
