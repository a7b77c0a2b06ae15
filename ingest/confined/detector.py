"""Client of a sandboxed process that runs scancode, which needs a gigabyte of memory.

The process starts with the first text and serves all repositories, because its index takes seconds
to load. If it hangs or ends while it reads a text, that text has no result, and a new process reads
the next text. The detector's process ends together with the process that started it.
"""

import threading
import weakref

from ingest.confined.process import Process, WorkerEnded
from ingest.confined.values import UnreadableAnswer, from_json
from ingest.licenses.detector import SECONDS_A_TEXT, DetectionTookTooLong, Match, Scancode


class DetectorNotStarted(Exception):
    """The license detector's process did not start."""


class ConfinedScancode:
    """License detector with the interface of `Scancode`. The detection runs in another process."""

    def __init__(self, seconds: float = SECONDS_A_TEXT) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: Process | None = None

    @property
    def name(self) -> str:
        return Scancode().name

    @property
    def pid(self) -> int | None:
        """Process id of the detector, or None."""
        return self._process.pid if self._process is not None else None

    def match(self, text: str, *, approximate: bool = True) -> list[Match]:
        """Return every rule that `text` matches, in the order of the text."""
        with self._lock:
            process = self._process or self._started()
            try:
                process.send({"text": text, "approximate": approximate})
                answer = process.hear()
                if "late" in answer:
                    raise DetectionTookTooLong(
                        f"The detector did not finish in {self._seconds:g} seconds."
                    )
                return list(from_json(tuple[Match, ...], answer.get("matches")))
            except (WorkerEnded, UnreadableAnswer) as error:
                self.end()
                raise DetectionTookTooLong(
                    "The detector's process ended on this text."
                    if not isinstance(error, WorkerEnded) or not error.silent
                    else f"The detector did not finish in {self._seconds:g} seconds."
                ) from error
            except DetectionTookTooLong:
                raise
            except BaseException:
                # After an interruption, the next request would get the answer to this request.
                self.end()
                raise

    def end(self) -> None:
        if self._process is not None:
            self._finalizer()
            self._process = None

    def _started(self) -> Process:
        process = Process("ingest.confined.detecting", str(self._seconds))
        self._finalizer = weakref.finalize(self, process.end)
        self._process = process
        try:
            process.hear()
        except BaseException as error:
            self.end()
            if not isinstance(error, WorkerEnded):
                raise
            raise DetectorNotStarted(f"The license detector's process {error}.") from error
        # The detector checks its own time limit too, but only between two passages.
        process.silence = 2 * self._seconds
        return process
