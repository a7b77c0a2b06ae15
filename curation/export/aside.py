"""What is read in one order and leaves in another: rows lie as they came, files go by hash.

Rows are read once, in the order of the database, where neighbours share a page. What is made of
them waits in a file without a name; memory holds only where each lies, and in which order to go.
"""

import marshal
import os
from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLUSH = 1 << 20


class Aside(ExitStack):
    """A context: texts and tuples are put down one after the other and taken up in any order."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        # Beside what is being written, not in memory, which /tmp may be.
        self._file = self.enter_context(TemporaryFile(dir=folder, buffering=FLUSH))  # noqa: SIM115
        self._starts = array("q", [0])

    def put(self, value: Any) -> int:
        """Its number, to take it up by."""
        data = marshal.dumps(value)
        self._file.write(data)
        self._starts.append(self._starts[-1] + len(data))
        return len(self._starts) - 2

    def take(self, numbers: Iterable[int]) -> Iterator[Any]:
        self._file.flush()
        file, starts = self._file.fileno(), self._starts
        for number in numbers:
            start = starts[number]
            data = os.pread(file, starts[number + 1] - start, start)
            yield marshal.loads(data)  # noqa: S302 - nobody but this process has written there


@dataclass(slots=True)
class HashOrder:
    """Content hashes as far as an order needs them: half of each."""

    _halves: bytearray = field(default_factory=bytearray)

    def add(self, content_hash: str) -> None:
        self._halves += bytes.fromhex(content_hash[:32])

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
