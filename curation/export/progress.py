"""How far an export is, told to whoever asked: a terminal's bar, a run's row, nobody."""

from typing import Protocol


class Progress(Protocol):
    def __call__(self, stage: str, done: int) -> None: ...


def silently(stage: str, done: int) -> None:
    """For callers whom nobody watches."""
