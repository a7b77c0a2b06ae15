"""ProgressCallback callback of an export."""

from typing import Protocol


class ProgressCallback(Protocol):
    def __call__(self, stage: str, done: int) -> None: ...


def no_progress(stage: str, done: int) -> None:
    """No-op progress callback."""
