"""Limits on the processor time of each kernel and each file, inside the sandboxed process.

Attack: a small text occupies the only ingest worker for hours, as an algorithm is superlinear on
it. Defense: a signal ends the work on this text, and the process continues with the next.
"""

import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ingest.extract import TookTooLong

KERNEL_SECONDS = 20.0
FILE_SECONDS = 60.0
"""Seconds of processor time for a file. 729 kB with 3,478 kernels take 13 s (2026-11-29)."""
AGAIN_SECONDS = 0.1
"""Seconds between signals. A signal is ignored during a message, so it must be repeated."""


class TimeLimits:
    """Timer of the current work. Use it in the main thread only, and don't nest its contexts."""

    def __init__(self, is_talking: Callable[[], bool]) -> None:
        self._is_talking = is_talking
        self._is_active = False
        self._bound = ""
        self._spent: defaultdict[str, float] = defaultdict(float)
        signal.signal(signal.SIGPROF, self._expire)

    @contextmanager
    def around(self, path: str) -> Iterator[None]:
        """Raise TookTooLong if the time for one kernel or for its file is used up."""
        left = FILE_SECONDS - self._spent[path]
        # The timer counts in ticks, so it could end the last part of a file slightly too early.
        if left < AGAIN_SECONDS:
            raise TookTooLong(_sentence(FILE_SECONDS, "This file"))
        if left < KERNEL_SECONDS:
            self._bound = _sentence(FILE_SECONDS, "This file")
        else:
            self._bound = _sentence(KERNEL_SECONDS, "One part of this file")
        start = time.process_time()
        self._is_active = True
        signal.setitimer(signal.ITIMER_PROF, min(left, KERNEL_SECONDS), AGAIN_SECONDS)
        try:
            try:
                yield
            finally:
                self._is_active = False
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._spent[path] += time.process_time() - start

    def _expire(self, signum: int, frame: FrameType | None) -> None:
        if self._is_active and not self._is_talking():
            raise TookTooLong(self._bound)


def _sentence(seconds: float, part: str) -> str:
    return f"{part} took longer than {seconds:g} seconds of processor time and was left out."
