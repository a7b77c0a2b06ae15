"""Progress of a long command, shown to a person who waits at a shell."""

import time
from typing import TextIO

# Seconds between two lines of progress if the output is no terminal.
LINE_SECONDS = 10.0


class Bar:
    """Progress line that is rewritten on a terminal. Other outputs get a line every ten seconds.

    `lines`: False if no person reads the output, as in a worker.
    """

    WIDTH = 30

    def __init__(self, out: TextIO, *, lines: bool = True) -> None:
        self._out = out
        self._terminal = out.isatty()
        self._lines = lines
        self._written = time.monotonic()

    def show(self, stage: str, done: int, total: int) -> None:
        count = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
        if self._terminal:
            filled = self.WIDTH * done // total if total else 0
            bar = f"[{'#' * filled}{' ' * (self.WIDTH - filled)}] " if total else ""
            self._write(f"\r\x1b[K{stage:<12} {bar}{count}")
        elif self._lines and time.monotonic() - self._written >= LINE_SECONDS:
            self._written = time.monotonic()
            self._write(f"{stage} {count}".strip() + "\n")

    def count(self, stage: str, done: int) -> None:
        """Show the count of items done toward an unknown total."""
        self.show(stage, done, 0)

    def end(self) -> None:
        if self._terminal:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
