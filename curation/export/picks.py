"""The chosen items in columns: some 40 bytes each, so that a million of them fit anywhere."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from curation.export.splits import FREE

COLUMNS = (
    "pks", "identities", "tokens", "sources", "origins", "reviewed", "results", "files",
)  # fmt: skip


@dataclass(slots=True)
class Picks:
    """In the order in which they are written: by content hash."""

    pks: "array[int]" = field(default_factory=lambda: array("q"))
    # The content hash's first 64 bits: what keyed orders are made of.
    identities: "array[int]" = field(default_factory=lambda: array("Q"))
    tokens: "array[int]" = field(default_factory=lambda: array("q"))
    # The repository that a record is counted under, or 0.
    sources: "array[int]" = field(default_factory=lambda: array("q"))
    # Its origin, as a number of `PairOrigin`'s values.
    origins: "array[int]" = field(default_factory=lambda: array("b"))
    reviewed: "array[int]" = field(default_factory=lambda: array("b"))
    # The validation that decided, or 0.
    results: "array[int]" = field(default_factory=lambda: array("q"))
    # The file that a record is, where the unit is a file; else 0.
    files: "array[int]" = field(default_factory=lambda: array("q"))
    splits: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    weights: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.pks)

    def add(
        self,
        *,
        pk: int,
        content_hash: str,
        tokens: int | None,
        source: int,
        origin: int,
        reviewed: bool,
        result: int = 0,
        file: int = 0,
    ) -> None:
        self.pks.append(pk)
        self.identities.append(int(content_hash[:16], 16))
        self.tokens.append(tokens or 0)
        self.sources.append(source)
        self.origins.append(origin)
        self.reviewed.append(reviewed)
        self.results.append(result)
        self.files.append(file)

    def complete(self) -> None:
        """Give each of the columns that come later its place."""
        self.splits = np.full(len(self), FREE, dtype=np.int8)
        self.weights = np.ones(len(self))

    def leave_out(self, numbers: NDArray[np.bool_]) -> list[int]:
        """Drop those, and name them."""
        gone: list[int] = np.asarray(self.pks)[numbers].tolist()
        keep = ~numbers
        for name in COLUMNS:
            column: array[int] = getattr(self, name)
            kept = array(column.typecode)
            kept.frombytes(np.asarray(column)[keep].tobytes())
            setattr(self, name, kept)
        self.splits = self.splits[keep]
        self.weights = self.weights[keep]
        return gone

    def batches(self, size: int) -> Iterator[range]:
        for start in range(0, len(self), size):
            yield range(start, min(start + size, len(self)))
