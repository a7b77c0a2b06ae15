"""Inside the sandbox: reads the files that it is given and answers in JSON.

`python -c … FD` takes a line of JSON an order from its input, at times with bytes behind it, and
writes its lines to the open file FD. While it works on an order it asks for files and for license
readings by the same pipes, and says at which file it is: should it end, that is the one that
costs.
"""

import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ingest.candidate import Candidate, Dropped
from ingest.confined.line import Line
from ingest.confined.values import from_json
from ingest.evidence import evidence
from ingest.licenses import LicenceReader
from ingest.licenses.detector import DetectionTookTooLong, Match
from ingest.licensing import FileLicences
from ingest.stages import kernels, read_text

BATCH = 250
PROGRESS_SECONDS = 0.5


class Told:
    """Says at which file the worker is and how far it is."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._told = ("", 0.0)

    def at(self, path: str) -> None:
        self._line.tell(at=path)

    def progress(self, stage: str, done: int, total: int) -> None:
        told, now = self._told, time.monotonic()
        if stage != told[0] or now - told[1] >= PROGRESS_SECONDS:
            self._told = (stage, now)
            self._line.tell(progress=[stage, done, total])


class RemoteTree:
    """The repository's files, each asked for when it is read."""

    def __init__(self, line: Line, paths: list[str]) -> None:
        self._line = line
        self._paths = paths

    def paths(self) -> list[str]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        size = self._line.ask(read=path)["bytes"]
        return None if size is None else self._line.take(size)


class RemoteDetector:
    """The license detector, which is a process of its own."""

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self.name = name

    def match(self, text: str, *, approximate: bool = True) -> list[Match]:
        answer = self._line.ask(match=[text, approximate])
        if "late" in answer:
            raise DetectionTookTooLong(answer["late"])
        return list(from_json(tuple[Match, ...], answer["matches"]))


class RemoteReadings:
    """The license readings that the ingest keeps."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def get(self, key: str) -> str | None:
        found: str | None = self._line.ask(kept=key)["kept"]
        return found

    def __setitem__(self, key: str, value: str) -> None:
        self._line.tell(keep=[key, value])


class Worker:
    """Answers orders, one after the other."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._items: Iterator[Candidate | Dropped] = iter(())

    def serve(self) -> None:
        while (order := self._line.hear()) is not None:
            self._line.tell(answer=getattr(self, f"_{order['order']}")(order))

    def _text(self, order: dict[str, Any]) -> Any:
        return read_text(order["path"], self._line.take(order["bytes"]))

    def _begin(self, order: dict[str, Any]) -> Any:
        tree = RemoteTree(self._line, order["paths"])
        detector = RemoteDetector(self._line, order["detector"])
        licences = FileLicences(tree, LicenceReader(detector, RemoteReadings(self._line)))
        told = Told(self._line)
        self._items = kernels(tree, order["named"], licences, told.progress, told.at)
        return None

    def _next(self, order: dict[str, Any]) -> Any:
        """Send some kernels and say how many; fewer than a batch are the last."""
        items = list(islice(self._items, BATCH))
        for item in items:
            self._line.tell(item={type(item).__name__.lower(): item})
        return len(items)

    def _evidence(self, order: dict[str, Any]) -> Any:
        return evidence(from_json(Candidate, order["of"]))


if __name__ == "__main__":
    Worker(Line(sys.stdin.buffer, int(sys.argv[1]))).serve()
