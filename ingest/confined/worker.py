"""Program of the sandboxed worker that parses files.

`python -c … FD` reads JSON requests from its standard input, one on each line, and writes JSON
lines to the file descriptor FD. Bytes may follow a request. During a request, the worker asks for
files and license readings through the same pipes. It names each file before it reads it, so that a
crash costs only that file.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import Any

from ingest.candidate import Candidate, Dropped
from ingest.confined.line import Line
from ingest.confined.time_limits import TimeLimits
from ingest.confined.values import from_json
from ingest.evidence import evidence
from ingest.extract import At, TookTooLong
from ingest.licenses import LicenseReader
from ingest.licenses.detector import DetectionTookTooLong, Match
from ingest.stages import FileLicenses, kernels, read_text

BATCH = 250
PROGRESS_SECONDS = 0.5


class Reporter:
    """Sender of messages to the ingest about the current path and the progress."""

    def __init__(self, line: Line, bounded: At) -> None:
        self._line = line
        self._bounded = bounded
        self._last = ("", 0.0)

    def at(self, path: str) -> AbstractContextManager[object]:
        self._line.tell(at=path)
        return self._bounded(path)

    def progress(self, stage: str, done: int, total: int) -> None:
        last, now = self._last, time.monotonic()
        if stage != last[0] or now - last[1] >= PROGRESS_SECONDS:
            self._last = (stage, now)
            self._line.tell(progress=[stage, done, total])


class RemoteTree:
    """Files of the repository. The worker requests each file when it reads it."""

    def __init__(self, line: Line, paths: list[str]) -> None:
        self._line = line
        self._paths = paths

    def paths(self) -> list[str]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        with self._line.talk():
            size = self._line.ask(read=path)["bytes"]
            return None if size is None else self._line.take(size)


class RemoteDetector:
    """The license detector, which runs in another process."""

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self.name = name

    def match(self, text: str, *, approximate: bool = True) -> list[Match]:
        answer = self._line.ask(match=[text, approximate])
        if "late" in answer:
            raise DetectionTookTooLong(answer["late"])
        return list(from_json(tuple[Match, ...], answer["matches"]))


class RemoteReadings:
    """The license readings in the ingest's cache."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def get(self, key: str) -> str | None:
        reading: str | None = self._line.ask(kept=key)["kept"]
        return reading

    def __setitem__(self, key: str, value: str) -> None:
        self._line.tell(keep=[key, value])


class Worker:
    """Server of the ingest's requests, one at a time."""

    def __init__(self, line: Line, bounded: At = nullcontext) -> None:
        self._line = line
        self._bounded = bounded
        self._items: Iterator[Candidate | Dropped] = iter(())

    def serve(self) -> None:
        while (order := self._line.hear()) is not None:
            try:
                answer = getattr(self, f"_{order['order']}")(order)
            except TookTooLong as error:
                self._line.tell(late=str(error))
            else:
                self._line.tell(answer=answer)

    def _text(self, order: dict[str, Any]) -> Any:
        data = self._line.take(order["bytes"])
        with self._bounded(order["path"]):
            return read_text(order["path"], data)

    def _begin(self, order: dict[str, Any]) -> Any:
        tree = RemoteTree(self._line, order["paths"])
        detector = RemoteDetector(self._line, order["detector"])
        licenses = FileLicenses(tree, LicenseReader(detector, RemoteReadings(self._line)))
        reporter = Reporter(self._line, self._bounded)
        self._items = kernels(tree, order["named"], licenses, reporter.progress, reporter.at)
        return None

    def _next(self, order: dict[str, Any]) -> Any:
        """Send the next kernels and return their number. A number below BATCH means the end."""
        items = list(islice(self._items, BATCH))
        for item in items:
            self._line.tell(item={type(item).__name__.lower(): item})
        return len(items)

    def _evidence(self, order: dict[str, Any]) -> Any:
        candidate = from_json(Candidate, order["of"])
        with self._bounded(candidate.kernel.path):
            return evidence(candidate)


if __name__ == "__main__":
    line = Line(sys.stdin.buffer, int(sys.argv[1]))
    Worker(line, TimeLimits(line.is_talking).around).serve()
