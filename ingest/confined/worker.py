"""Sandbox side: reads the given files and answers in JSON.

`python -c … FD` takes one order a line of JSON from its input, sometimes followed by bytes, and
writes its lines to the open file FD. During an order it requests files and license readings
through the same pipes. It names each file before it reads it, so that a crash costs that file
only.
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
from ingest.licenses import LicenseReader
from ingest.licenses.detector import DetectionTookTooLong, Match
from ingest.licensing import FileLicenses
from ingest.stages import kernels, read_text

BATCH = 250
PROGRESS_SECONDS = 0.5


class Reporter:
    """Reporter of the current file and the progress."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._last = ("", 0.0)

    def at(self, path: str) -> None:
        self._line.tell(at=path)

    def progress(self, stage: str, done: int, total: int) -> None:
        last, now = self._last, time.monotonic()
        if stage != last[0] or now - last[1] >= PROGRESS_SECONDS:
            self._last = (stage, now)
            self._line.tell(progress=[stage, done, total])


class RemoteTree:
    """Files of the repository, each requested when it is read."""

    def __init__(self, line: Line, paths: list[str]) -> None:
        self._line = line
        self._paths = paths

    def paths(self) -> list[str]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        size = self._line.ask(read=path)["bytes"]
        return None if size is None else self._line.take(size)


class RemoteDetector:
    """The license detector, in a process of its own."""

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self.name = name

    def match(self, text: str, *, approximate: bool = True) -> list[Match]:
        answer = self._line.ask(match=[text, approximate])
        if "late" in answer:
            raise DetectionTookTooLong(answer["late"])
        return list(from_json(tuple[Match, ...], answer["matches"]))


class RemoteReadings:
    """The license readings that the ingest has cached."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def get(self, key: str) -> str | None:
        reading: str | None = self._line.ask(kept=key)["kept"]
        return reading

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
        licenses = FileLicenses(tree, LicenseReader(detector, RemoteReadings(self._line)))
        reporter = Reporter(self._line)
        self._items = kernels(tree, order["named"], licenses, reporter.progress, reporter.at)
        return None

    def _next(self, order: dict[str, Any]) -> Any:
        """Send the next kernels and return their number; fewer than a batch are the last."""
        items = list(islice(self._items, BATCH))
        for item in items:
            self._line.tell(item={type(item).__name__.lower(): item})
        return len(items)

    def _evidence(self, order: dict[str, Any]) -> Any:
        return evidence(from_json(Candidate, order["of"]))


if __name__ == "__main__":
    Worker(Line(sys.stdin.buffer, int(sys.argv[1]))).serve()
