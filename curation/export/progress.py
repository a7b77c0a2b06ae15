"""Progress callback of an export."""

from typing import Protocol


class Progress(Protocol):
    def __call__(self, stage: str, done: int) -> None: ...


def silently(stage: str, done: int) -> None:
    """No-op progress callback."""
