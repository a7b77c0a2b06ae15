"""The chosen items in columns: some 55 bytes each, so that a million of them fit anywhere."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curation.export.aside import HashOrder
from curation.export.leaving import Leaving
from curation.export.splits import FREE
from curation.models import PairOrigin

ORIGINS = tuple(PairOrigin.values)
COLUMNS = (
    "pks", "identities", "tokens", "sources", "origins", "weights", "drafts", "profiles", "lines",
    "bytes",
)  # fmt: skip


@dataclass(slots=True)
class Picks:
    """In the order in which they are written, once they are complete: by content hash."""

    pks: "array[int]" = field(default_factory=lambda: array("q"))
    tokens: "array[int]" = field(default_factory=lambda: array("I"))
    # The repository that a record is counted under, or 0.
    sources: "array[int]" = field(default_factory=lambda: array("q"))
    # Its origin, as a number of `ORIGINS`.
    origins: "array[int]" = field(default_factory=lambda: array("b"))
    weights: "array[float]" = field(default_factory=lambda: array("d"))
    # Where its draft was put aside.
    drafts: "array[int]" = field(default_factory=lambda: array("I"))
    # What it counts as: see `statistics`.
    profiles: "array[int]" = field(default_factory=lambda: array("I"))
    # Of its texts.
    lines: "array[int]" = field(default_factory=lambda: array("I"))
    bytes: "array[int]" = field(default_factory=lambda: array("I"))
    # The content hash's first 64 bits.
    identities: "array[int]" = field(default_factory=lambda: array("Q"))
    splits: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    _hashes: HashOrder = field(default_factory=HashOrder)

    def __len__(self) -> int:
        return len(self.pks)

    def add(
        self,
        items: Sequence[Leaving],
        drafts: Sequence[int],
        counted: Sequence[tuple[int, int, int]],
    ) -> None:
        """Each with where its draft lies, and what is counted of it."""
        self._hashes.add([item.content_hash for item in items])
        self.pks.extend([item.pk for item in items])
        self.tokens.extend([item.tokens for item in items])
        self.sources.extend([item.source for item in items])
        self.origins.extend([ORIGINS.index(item.origin) for item in items])
        self.weights.extend([item.weight for item in items])
        self.drafts.extend(drafts)
        self.profiles.extend([profile for profile, _, _ in counted])
        self.lines.extend([lines for _, lines, _ in counted])
        self.bytes.extend([size for _, _, size in counted])

    def absorb(self, more: "Picks", profiles: NDArray[np.int64], first: int) -> None:
        """Those of another process: with its profiles' numbers here, its drafts adopted as of
        number `first`."""
        self._hashes.extend(more._hashes)
        more.drafts = _array("I", np.asarray(more.drafts) + first)
        more.profiles = _array("I", profiles[np.asarray(more.profiles)])
        for name in COLUMNS:
            column: array[int] = getattr(self, name)
            column += getattr(more, name)

    def complete(self) -> None:
        """All are there: put them in order, and give the splits, which come later, their place."""
        order = self._hashes.order()
        self.identities = array("Q", self._hashes.heads.tobytes())
        self._hashes = HashOrder()
        self._keep(order)
        self.splits = np.full(len(self), FREE, dtype=np.int8)

    def leave_out(self, numbers: NDArray[np.bool_]) -> list[int]:
        """Drop those, and name them."""
        gone: list[int] = np.asarray(self.pks)[numbers].tolist()
        self._keep(~numbers)
        self.splits = self.splits[~numbers]
        return gone

    def _keep(self, numbers: NDArray[np.bool_] | NDArray[np.int64]) -> None:
        for name in COLUMNS:
            column: array[int] = getattr(self, name)
            setattr(self, name, _array(column.typecode, np.asarray(column)[numbers]))

    def batches(self, size: int) -> Iterator[range]:
        for start in range(0, len(self), size):
            yield range(start, min(start + size, len(self)))


def _array(typecode: str, values: NDArray[Any]) -> "array[int]":
    made = array(typecode)
    made.frombytes(values.astype(typecode, copy=False).tobytes())
    return made
