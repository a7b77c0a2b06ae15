"""How much one fetch may take, and what it tells while it runs."""

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of each process of one git command, held by the kernel.

    memory: address space in bytes. An index-pack of JAX's 251 MB takes 286 MB of it (2026-11-26).
    file_bytes: of any file it writes, its output among them.
    """

    memory: int = 2_000 * MEGABYTE
    cpu_seconds: int = 3_600
    file_bytes: int = 200 * MEGABYTE

    def __str__(self) -> str:
        return (
            f"{self.memory // MEGABYTE:,} MB of memory, {self.cpu_seconds:,} seconds of a "
            f"processor or a file of {self.file_bytes // MEGABYTE:,} MB"
        )

    def limits(self) -> dict[int, int]:
        return {
            resource.RLIMIT_AS: self.memory,
            resource.RLIMIT_CPU: self.cpu_seconds,
            resource.RLIMIT_FSIZE: self.file_bytes,
            resource.RLIMIT_CORE: 0,
        }

    def options(self) -> list[str]:
        """The same for the `prlimit` command of util-linux."""
        return [
            f"--as={self.memory}",
            f"--cpu={self.cpu_seconds}",
            f"--fsize={self.file_bytes}",
            "--core=0",
        ]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch; those in bytes are checked while git runs."""

    seconds: float = 900.0
    transfer_bytes: int = 2_000 * MEGABYTE
    mirror_bytes: int = 8_000 * MEGABYTE
    free_disk_bytes: int = 200 * MEGABYTE
    blob_bytes: int = 2 * MEGABYTE
    files: int = 500_000
    git: Bounds = field(default=Bounds())


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
