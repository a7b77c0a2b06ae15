"""How far a long command is, on the terminal of who waits there."""

from typing import TextIO


class Bar:
    """One line that is written over; silent where nobody watches."""

    WIDTH = 30

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._shown = out.isatty()

    def show(self, stage: str, done: int, total: int) -> None:
        if not self._shown:
            return
        filled = self.WIDTH * done // total if total else 0
        count = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
        bar = f"[{'#' * filled}{' ' * (self.WIDTH - filled)}] " if total else ""
        self._out.write(f"\r\x1b[K{stage:<12} {bar}{count}")
        self._out.flush()

    def count(self, stage: str, done: int) -> None:
        """Of what nobody knows how many there will be."""
        self.show(stage, done, 0)

    def end(self) -> None:
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()
