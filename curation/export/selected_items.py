"""Selected items in columns: some 55 bytes each, to keep a million in memory."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curation.export.export_item import ExportItem
from curation.export.splits import FREE
from curation.export.spool import HashOrder
from curation.models import PairOrigin

ORIGINS = tuple(PairOrigin.values)
COLUMNS = (
    "pks", "identities", "tokens", "sources", "origins", "weights", "drafts", "profiles", "lines",
    "bytes",
)  # fmt: skip


@dataclass(slots=True)
class SelectedItems:
    """Columns of the selected items; ordered by content hash after `complete`."""

    pks: "array[int]" = field(default_factory=lambda: array("q"))
    tokens: "array[int]" = field(default_factory=lambda: array("I"))
    # Primary key of the repository that a record is counted under, or 0.
    sources: "array[int]" = field(default_factory=lambda: array("q"))
    # Origin, as an index into `ORIGINS`.
    origins: "array[int]" = field(default_factory=lambda: array("b"))
    weights: "array[float]" = field(default_factory=lambda: array("d"))
    # Number of its draft in the spool.
    drafts: "array[int]" = field(default_factory=lambda: array("I"))
    # Number of its profile: see `statistics`.
    profiles: "array[int]" = field(default_factory=lambda: array("I"))
    # Lines and bytes of its texts.
    lines: "array[int]" = field(default_factory=lambda: array("I"))
    bytes: "array[int]" = field(default_factory=lambda: array("I"))
    # First 64 bits of the content hash.
    identities: "array[int]" = field(default_factory=lambda: array("Q"))
    splits: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    _hashes: HashOrder = field(default_factory=HashOrder)

    def __len__(self) -> int:
        return len(self.pks)

    def add(
        self,
        items: Sequence[ExportItem],
        drafts: Sequence[int],
        counted: Sequence[tuple[int, int, int]],
    ) -> None:
        """Add items with the numbers of their drafts and their counts."""
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

    def absorb(self, more: "SelectedItems", profiles: NDArray[np.int64], first: int) -> None:
        """Add the items of another process.

        `profiles` maps its profile numbers to the ones here; its drafts start at number `first`.
        """
        self._hashes.extend(more._hashes)
        more.drafts = _array("I", np.asarray(more.drafts) + first)
        more.profiles = _array("I", profiles[np.asarray(more.profiles)])
        for name in COLUMNS:
            column: array[int] = getattr(self, name)
            column += getattr(more, name)

    def complete(self) -> None:
        """Order the items after all were added, and create the column of splits."""
        order = self._hashes.order()
        self.identities = array("Q", self._hashes.heads.tobytes())
        self._hashes = HashOrder()
        self._keep(order)
        self.splits = np.full(len(self), FREE, dtype=np.int8)

    def leave_out(self, numbers: NDArray[np.bool_]) -> list[int]:
        """Drop items and return their primary keys."""
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
