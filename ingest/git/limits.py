"""Limits of one fetch, and its progress reports."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of each process of one git command. The operating system enforces them.

    memory: address space in bytes. An index-pack of JAX's 251 MB takes 286 MB (2026-11-26).
    file_bytes: maximum bytes of each file that the process writes, including its output.
    """

    memory: int = 2_000 * MEGABYTE
    cpu_seconds: int = 3_600
    file_bytes: int = 200 * MEGABYTE

    def __str__(self) -> str:
        return (
            f"{self.memory // MEGABYTE:,} MB of memory, {self.cpu_seconds:,} seconds of a "
            f"processor or a file of {self.file_bytes // MEGABYTE:,} MB"
        )

    def options(self) -> list[str]:
        """Return the bounds as options of util-linux's `prlimit`."""
        return [
            f"--as={self.memory}",
            f"--cpu={self.cpu_seconds}",
            f"--fsize={self.file_bytes}",
            "--core=0",
        ]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch. Those on bytes are checked while git runs."""

    seconds: float = 900.0
    transfer_bytes: int = 2_000 * MEGABYTE
    mirror_bytes: int = 8_000 * MEGABYTE
    free_disk_bytes: int = 200 * MEGABYTE
    blob_bytes: int = 2 * MEGABYTE
    files: int = 500_000
    git: Bounds = field(default=Bounds())


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a fetch: its name, and the bytes received so far."""

    stage: str
    received_bytes: int = 0


OnProgress = Callable[[Progress], None]


def silent(_progress: Progress) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Time at which all work of one fetch must have ended."""

    seconds: float
    moment: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(seconds, time.monotonic() + seconds)

    def passed(self) -> bool:
        return time.monotonic() >= self.moment
