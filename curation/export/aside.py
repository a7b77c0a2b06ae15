"""What is read in one order and leaves in another: rows lie as they came, files go by hash.

Rows are read once, in the order of the database, where neighbours share a page. What is made of
them waits in files without a name; memory holds only where each lies, and in which order to go.
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
# A place is a file's number above so many bits, and a distance from its beginning below.
DISTANCE = 48


@dataclass(slots=True)
class Shelf:
    """Where values lie, and how long each is."""

    places: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("I"))

    def __len__(self) -> int:
        return len(self.places)


class Aside(ExitStack):
    """A context: texts and tuples are put down one after the other and taken up in any order.

    Each of `shares` processes puts them into a file of its own; this one reads them all.
    """

    def __init__(self, folder: Path, shares: int = 1) -> None:
        super().__init__()
        # Beside what is being written, not in memory, which /tmp may be.
        self._files: list[IO[bytes]] = [
            self.enter_context(TemporaryFile(dir=folder, buffering=FLUSH))  # noqa: SIM115
            for _ in range(shares)
        ]
        self._shelf = Shelf()
        self._own = 0
        self._end = 0

    def begin(self, share: int) -> None:
        """In the process that this share is for: put everything there."""
        self._own, self._shelf, self._end = share, Shelf(), 0

    def put(self, values: Iterable[Any]) -> range:
        """Their numbers, to take them up by."""
        data = [marshal.dumps(value) for value in values]
        self._files[self._own].write(b"".join(data))
        shelf, first = self._shelf, len(self._shelf)
        shelf.lengths.extend(map(len, data))
        *places, self._end = accumulate(map(len, data), initial=self._end)
        shelf.places.extend([place | self._own << DISTANCE for place in places])
        return range(first, len(shelf))

    def shelf(self) -> Shelf:
        """All that was put down here, for `adopt` elsewhere."""
        self._files[self._own].flush()
        return self._shelf

    def adopt(self, shelf: Shelf) -> int:
        """Know what another process has put down, its numbers moved by what this returns."""
        first = len(self._shelf)
        self._shelf.places += shelf.places
        self._shelf.lengths += shelf.lengths
        return first

    def take(self, numbers: Iterable[int]) -> Iterator[Any]:
        self._files[self._own].flush()
        files = [file.fileno() for file in self._files]
        places, lengths = self._shelf.places, self._shelf.lengths
        pread, loads, distance = os.pread, marshal.loads, (1 << DISTANCE) - 1
        for number in numbers:
            place = places[number]
            data = pread(files[place >> DISTANCE], lengths[number], place & distance)
            yield loads(data)


@dataclass(slots=True)
class HashOrder:
    """Content hashes as far as an order needs them: half of each."""

    _halves: bytearray = field(default_factory=bytearray)

    def add(self, content_hashes: Iterable[str]) -> None:
        self._halves += bytes.fromhex("".join([hashed[:32] for hashed in content_hashes]))

    def extend(self, more: "HashOrder") -> None:
        self._halves += more._halves

    @property
    def heads(self) -> NDArray[np.uint64]:
        """The first 64 bits of each: what keyed orders are made of."""
        return self._columns()[:, 0].astype(np.uint64)

    def order(self) -> NDArray[np.int64]:
        """The numbers of the items, by hash."""
        columns = self._columns()
        order: NDArray[np.int64] = np.lexsort((columns[:, 1], columns[:, 0]))
        return order

    def _columns(self) -> NDArray[Any]:
        return np.frombuffer(self._halves, dtype=">u8").reshape(-1, 2)
