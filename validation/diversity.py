"""How different from one another pairs are: near-duplicates and skeletons of their Triton side."""

from __future__ import annotations

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from curation.similarity.duplicates import FLOOR_WORDS, THRESHOLD
from curation.similarity.minhash import PERMUTATIONS, Signature, bands, signatures
from curation.similarity.shingles import Shingles, jaccard, shingles_and_counts


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What of a text is compared."""

    shingles: Shingles
    signature: Signature
    bands: tuple[int, ...]
    words: int


def looks(texts: Sequence[str]) -> list[Look]:
    counted = shingles_and_counts(texts)
    signed = signatures([found for found, _ in counted])
    return [
        Look(found, values, bands(values), words)
        for (found, words), values in zip(counted, signed, strict=True)
    ]


LIKELY = THRESHOLD - 0.15
"""By the estimate, which is off by more than this once in some thousand times."""


class Families:
    """Who is near whom: the first of a kind founds a family, what is near it belongs to it."""

    def __init__(self) -> None:
        self._founders: list[Look] = []
        # In one piece, and doubled when it is full: one comparison then is one gather.
        self._signatures = np.zeros((1024, PERMUTATIONS), np.uint32)
        self._by_band: dict[tuple[int, int], list[int]] = defaultdict(list)

    def place(self, look: Look) -> tuple[int, bool]:
        """The family of a text, founded by it if none is near."""
        family = self.find(look)
        if family is not None:
            return family, False
        if len(self._founders) == len(self._signatures):
            self._signatures = np.concatenate((self._signatures, np.zeros_like(self._signatures)))
        self._signatures[len(self._founders)] = look.signature
        self._founders.append(look)
        if look.words >= FLOOR_WORDS:
            for slot in enumerate(look.bands):
                self._by_band[slot].append(len(self._founders) - 1)
        return len(self._founders) - 1, True

    def find(self, look: Look) -> int | None:
        """The most alike of the families that are near enough."""
        if look.words < FLOOR_WORDS:
            return None
        met = {family for slot in enumerate(look.bands) for family in self._by_band.get(slot, ())}
        if not met:
            return None
        likely = [
            (-shared, family)
            for family, shared in zip(met, self._shared(look, met), strict=True)
            if shared >= LIKELY * len(look.signature)
        ]
        return next((family for _, family in sorted(likely) if self._near(look, family)), None)

    def _shared(self, look: Look, families: Iterable[int]) -> list[int]:
        """How many values of the signatures agree: an estimate for the price of a comparison."""
        alike = self._signatures[list(families)] == look.signature
        shared: list[int] = np.count_nonzero(alike, axis=1).tolist()
        return shared

    def _near(self, look: Look, family: int) -> bool:
        return jaccard(look.shingles, self._founders[family].shingles) >= THRESHOLD


@dataclass(frozen=True, slots=True)
class Diversity:
    texts: int
    families: int
    largest_family: int
    skeletons: int

    @property
    def near_share(self) -> float:
        """The share of texts that are near one that came before."""
        return 1 - self.families / self.texts if self.texts else 0.0


def diversity(texts: Sequence[str]) -> Diversity:
    families = Families()
    sizes: dict[int, int] = defaultdict(int)
    for look in looks(texts):
        sizes[families.place(look)[0]] += 1
    return Diversity(
        len(texts), len(sizes), max(sizes.values(), default=0), len(set(map(skeleton, texts)))
    )


def skeleton(text: str) -> str:
    """The shape of the syntax tree: kinds of nodes only, no name, no number, no called function."""
    kinds = " ".join(_kinds(ast.parse(text)))
    return hashlib.sha256(kinds.encode()).hexdigest()


def _kinds(tree: ast.AST) -> Iterable[str]:
    return (type(node).__name__ for node in ast.walk(tree))
