"""The reader of foreign files in a thread of the test: no process and no sandbox to start."""

import os
import threading
from contextlib import suppress

from ingest.confined.line import Line
from ingest.confined.process import DEFAULT_TERMS, Process, Terms
from ingest.confined.worker import Worker


class ReadingThread(Process):
    """A worker behind the same two pipes. A process of its own costs 0.4 s of processor time."""

    def __init__(self, name: str, *arguments: str, terms: Terms = DEFAULT_TERMS) -> None:
        assert name == "ingest.confined.worker"
        self.silence = terms.silence
        self._rest = bytearray()
        self._reading, self._writing = os.pipe()
        self._orders, asking = os.pipe()
        self._asking = os.fdopen(asking, "wb", buffering=0)
        os.set_blocking(asking, False)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        return os.getpid()

    def end(self) -> None:
        """End the pipes, and so the thread."""
        self._asking.close()
        os.close(self._reading)
        self._thread.join()

    def _serve(self) -> None:
        try:
            # The test may end the pipes while the worker writes, or while it waits for an answer.
            with suppress(BrokenPipeError, SystemExit), os.fdopen(self._orders, "rb") as orders:
                Worker(Line(orders, self._writing)).serve()
        finally:
            os.close(self._writing)

    def _last_words(self) -> str:
        return "ended"
