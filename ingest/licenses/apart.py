"""scancode in a process of its own, so that its gigabyte is not the ingest's.

Started when the first text is asked about; it leaves when whoever asked has gone, however that
went. A text on which it hangs or dies is given up, and the next one gets a new process.
"""

import json
import os
import subprocess
import sys
import threading
import weakref
from dataclasses import asdict
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

from ingest.licenses.detector import SECONDS_A_TEXT, DetectionTookTooLong, Match, Scancode

# Reading the index takes seconds; making it anew, after an upgrade, minutes.
SECONDS_TO_START = 600.0


class DetectorNotStarted(Exception):
    """The licence detector's process did not come up: nothing can be read without it."""


class ScancodeApart:
    """Answers as `Scancode` does, and takes no memory here."""

    def __init__(self, folder: Path | None = None, seconds: float = SECONDS_A_TEXT) -> None:
        self._scancode = Scancode(folder, seconds)
        self._folder = folder
        self._seconds = seconds
        self._lock = threading.Lock()
        self._child: _Child | None = None

    @property
    def name(self) -> str:
        return self._scancode.name

    def match(self, text: str, *, approximate: bool = True) -> list[Match]:
        """Every rule that `text` matches, in the order of the text."""
        with self._lock:
            if self._child is None:
                self._child = _Child(self._folder, self._seconds)
            try:
                return self._child.match(text, approximate)
            except (EOFError, OSError, TimeoutError) as error:
                self._child.end()
                self._child = None
                raise DetectionTookTooLong(
                    "The detector's process ended on this text."
                    if not isinstance(error, TimeoutError)
                    else f"The detector did not finish in {self._seconds:g} seconds."
                ) from error
            except BaseException:
                # Interrupted between question and answer: the next question must not get it.
                self._child.end()
                self._child = None
                raise


class _Child:
    def __init__(self, folder: Path | None, seconds: float) -> None:
        self._connection, theirs = Pipe()
        self._patience = 2 * seconds  # it watches the clock itself, between two passages
        command = [sys.executable, "-m", __name__, str(theirs.fileno()), str(seconds)]
        self._process = subprocess.Popen(
            [*command, *([str(folder)] if folder else [])],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        theirs.close()
        self.end = weakref.finalize(self, _end, self._connection, self._process)
        try:
            self._hear(SECONDS_TO_START)
        except (EOFError, OSError, TimeoutError) as error:
            self.end()
            raise DetectorNotStarted("The licence detector's process did not start.") from error

    def match(self, text: str, approximate: bool) -> list[Match]:
        self._connection.send_bytes(json.dumps([text, approximate]).encode())
        answer = json.loads(self._hear(self._patience))
        if isinstance(answer, str):
            raise DetectionTookTooLong(answer)
        return [Match(**match) for match in answer]

    def _hear(self, seconds: float) -> bytes:
        if not self._connection.poll(seconds):
            raise TimeoutError
        return self._connection.recv_bytes()


def _end(connection: Connection, process: "subprocess.Popen[bytes]") -> None:
    connection.close()
    process.kill()
    process.wait()


def serve(connection: Connection, detector: Scancode) -> None:
    """Answer until nobody asks any more."""
    detector.load()
    connection.send_bytes(b"ready")
    while True:
        try:
            text, approximate = json.loads(connection.recv_bytes())
        except EOFError:
            return
        try:
            found = detector.match(text, approximate=approximate)
        except DetectionTookTooLong as error:
            connection.send_bytes(json.dumps(str(error)).encode())
        else:
            connection.send_bytes(json.dumps([asdict(match) for match in found]).encode())


def main(descriptor: str, seconds: str, folder: str = "") -> None:
    serve(Connection(int(descriptor)), Scancode(Path(folder) if folder else None, float(seconds)))


if __name__ == "__main__":
    main(*sys.argv[1:])
