"""What a run of the harness may be told."""

import os
from dataclasses import dataclass

from validation.sandbox import Level

EVERY_CHECK = (
    "test", "accuracy", "variations", "memory", "determinism", "triton", "falsifiable",
    "bounds", "gradients",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """`jobs` is how many entries are worked on at once, `share` how many of one origin may follow
    one another in one process on a GPU (1: never). `level` None: as confined as this host
    allows. Memory in bytes, times in seconds of wall clock for each step of an entry."""

    device: str = "interpreter"
    jobs: int = 0
    checks: tuple[str, ...] = EVERY_CHECK
    timeout: float = 60.0
    level: Level | None = None
    memory: int = 4 << 30
    gpu_memory: float = 0.2
    share: int = 16
    seed: int = 20260101

    def workers(self) -> int:
        return self.jobs or min(len(os.sched_getaffinity(0)), 16)
