"""On-disk spool: rows are read in key order, and written in content hash order.

Rows are read once, in the order of the database, where neighbors share a page. The serialized
records wait in unnamed files; memory holds only their positions and the final order.
"""

import marshal
import os
from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

FLUSH = 1 << 20
# A position is a file number in the high bits, and an offset in the low bits.
DISTANCE = 48


@dataclass(slots=True)
class SpoolIndex:
    """Positions and lengths of the spooled values."""

    places: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("I"))

    def __len__(self) -> int:
        return len(self.places)


class Spool(ExitStack):
    """Context manager that stores values in sequence and returns them in any order.

    Each of `shares` processes writes a file of its own; this process reads them all.
    """

    def __init__(self, folder: Path, shares: int = 1) -> None:
        super().__init__()
        # On the target's disk, because /tmp may be in memory.
        self._files: list[IO[bytes]] = [
            self.enter_context(TemporaryFile(dir=folder, buffering=FLUSH))  # noqa: SIM115
            for _ in range(shares)
        ]
        self._index = SpoolIndex()
        self._own = 0
        self._end = 0

    def begin(self, share: int) -> None:
        """Select the file that this process writes."""
        self._own, self._index, self._end = share, SpoolIndex(), 0

    def put(self, values: Iterable[Any]) -> range:
        """Store values and return their numbers."""
        data = [marshal.dumps(value) for value in values]
        self._files[self._own].write(b"".join(data))
        index, first = self._index, len(self._index)
        index.lengths.extend(map(len, data))
        *places, self._end = accumulate(map(len, data), initial=self._end)
        index.places.extend([place | self._own << DISTANCE for place in places])
        return range(first, len(index))

    def index(self) -> SpoolIndex:
        """Return the index of this process' values, for `adopt` in another process."""
        self._files[self._own].flush()
        return self._index

    def adopt(self, index: SpoolIndex) -> int:
        """Add the values of another process, and return the offset of their numbers."""
        first = len(self._index)
        self._index.places += index.places
        self._index.lengths += index.lengths
        return first

    def take(self, numbers: Iterable[int]) -> Iterator[Any]:
        self._files[self._own].flush()
        files = [file.fileno() for file in self._files]
        places, lengths = self._index.places, self._index.lengths
        pread, loads, distance = os.pread, marshal.loads, (1 << DISTANCE) - 1
        for number in numbers:
            place = places[number]
            data = pread(files[place >> DISTANCE], lengths[number], place & distance)
            yield loads(data)


@dataclass(slots=True)
class HashOrder:
    """First half of each content hash, which suffices for an order."""

    _halves: bytearray = field(default_factory=bytearray)

    def add(self, content_hashes: Iterable[str]) -> None:
        self._halves += bytes.fromhex("".join([hashed[:32] for hashed in content_hashes]))

    def extend(self, more: "HashOrder") -> None:
        self._halves += more._halves

    @property
    def heads(self) -> NDArray[np.uint64]:
        """Return the first 64 bits of each hash, the input of keyed orders."""
        return self._columns()[:, 0].astype(np.uint64)

    def order(self) -> NDArray[np.int64]:
        """Return the numbers of the items, ordered by hash."""
        columns = self._columns()
        order: NDArray[np.int64] = np.lexsort((columns[:, 1], columns[:, 0]))
        return order

    def _columns(self) -> NDArray[Any]:
        return np.frombuffer(self._halves, dtype=">u8").reshape(-1, 2)
