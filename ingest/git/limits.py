"""How much one fetch may take, and what it tells while it runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch; those in bytes are checked while git runs."""

    seconds: float = 900.0
    transfer_bytes: int = 2_000 * MEGABYTE
    mirror_bytes: int = 8_000 * MEGABYTE
    free_disk_bytes: int = 200 * MEGABYTE
    blob_bytes: int = 2 * MEGABYTE
    files: int = 500_000


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a fetch: what is being done, and the bytes received for it so far."""

    stage: str
    received_bytes: int = 0


OnProgress = Callable[[Progress], None]


def silent(_progress: Progress) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment at which everything that belongs to one fetch must have ended."""

    seconds: float
    moment: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(seconds, time.monotonic() + seconds)

    def passed(self) -> bool:
        return time.monotonic() >= self.moment
