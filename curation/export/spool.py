"""Temporary file of an export: lines are written in key order, and read in content hash order."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Number of lines in memory.
BATCH = 1000
PLACE: list[tuple[str, str]] = [
    ("identity", "u8"),  # the first 64 bits of the content hash
    ("tie", "u8"),  # the next 64 bits, which suffice for an order
    ("offset", "i8"),
    ("length", "u4"),
]

Places = NDArray[np.void]


class Spool(ExitStack):
    """Temporary file: lines are written in key order, and read in content hash order.

    Rows are read once, in the order of the database, where neighbors share a page. Their lines
    wait in the file. Memory holds an index only: the first half of each hash, and the place.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        # On the target's disk, because /tmp may be in memory.
        self._file = self.enter_context(tempfile.TemporaryFile(dir=folder))  # noqa: SIM115
        self._end = 0

    def put(self, content_hashes: Sequence[str], lines: Sequence[str]) -> Places:
        """Store lines, each with its content hash, and return their places."""
        places = hash_index(content_hashes)
        data = [
            f"{content_hash} {line}".encode("utf-8", "surrogatepass")
            for content_hash, line in zip(content_hashes, lines, strict=True)
        ]
        places["length"] = [len(line) for line in data]
        ends = self._end + np.cumsum(places["length"], dtype=np.int64)
        places["offset"] = ends - places["length"]
        self._file.write(b"".join(data))
        self._end = int(ends[-1]) if data else self._end
        return places

    def take(self, places: NDArray[Any]) -> Iterator[tuple[str, str]]:
        """Yield the content hash and the line of each place."""
        self._file.flush()
        descriptor = self._file.fileno()
        for offset, length in zip(
            places["offset"].tolist(), places["length"].tolist(), strict=True
        ):
            data = os.pread(descriptor, length, offset).decode("utf-8", "surrogatepass")
            content_hash, _, line = data.partition(" ")
            yield content_hash, line


class SpooledLines:
    """Lines of one file, collected in any order and returned in hash order."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._waiting: list[tuple[str, str]] = []
        self._spooled: list[Places] = []

    def add(self, content_hash: str, line: str) -> None:
        self._waiting.append((content_hash, line))
        if len(self._waiting) == BATCH:
            self._flush()

    def take(self) -> Iterator[list[str]]:
        """Yield the lines since the last call, in batches."""
        self._flush()
        places = in_hash_order(np.concatenate(self._spooled))
        self._spooled = []
        for start in range(0, len(places), BATCH):
            yield [line for _, line in self._spool.take(places[start : start + BATCH])]

    def _flush(self) -> None:
        content_hashes = [content_hash for content_hash, _ in self._waiting]
        self._spooled.append(self._spool.put(content_hashes, [line for _, line in self._waiting]))
        self._waiting = []


def hash_index(content_hashes: Sequence[str]) -> Places:
    """Return places with the hashes only."""
    places = np.zeros(len(content_hashes), dtype=PLACE)
    halves = bytes.fromhex("".join([content_hash[:32] for content_hash in content_hashes]))
    numbers = np.frombuffer(halves, dtype=">u8").reshape(-1, 2)
    places["identity"], places["tie"] = numbers[:, 0], numbers[:, 1]
    return places


def in_hash_order(rows: NDArray[Any]) -> NDArray[Any]:
    return rows[np.lexsort((rows["tie"], rows["identity"]))]
