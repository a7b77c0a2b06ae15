"""Messages between a sandboxed process and the ingest. Each is one line of JSON."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from ingest.confined.values import read_json, to_json


class Line:
    """The two pipes of a sandboxed process: one brings requests, the other takes the answers."""

    def __init__(self, reading: BinaryIO, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._depth = 0

    @contextmanager
    def talk(self) -> Iterator[None]:
        """Mark one exchange. An interruption during it would leave half a message in a pipe."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def is_talking(self) -> bool:
        return self._depth > 0

    def tell(self, **message: Any) -> None:
        with self.talk():
            line = memoryview(to_json(message) + b"\n")
            while line:
                line = line[os.write(self._writing, line) :]

    def hear(self) -> dict[str, Any] | None:
        """Return the next message, or None at the end of the input."""
        line = self._reading.readline()
        message: dict[str, Any] | None = read_json(line) if line else None
        return message

    def take(self, size: int) -> bytes:
        return self._reading.read(size)

    def ask(self, **message: Any) -> dict[str, Any]:
        with self.talk():
            self.tell(**message)
            answer = self.hear()
        if answer is None:
            raise SystemExit
        return answer
