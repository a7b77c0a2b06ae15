"""Options of a run of the harness."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.harness.sandbox import Level
from validation.harness.timing import sanitizer

EVERY_CHECK = (
    "test", "accuracy", "variations", "memory", "determinism", "triton", "falsifiable",
    "bounds", "gradients", "compiles",
)  # fmt: skip


GIB = 1 << 30


class Unsuited(Exception):
    """This host can't honor an option; the message says why."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run. Memory is in bytes, times are in seconds of wall clock.

    jobs: number of entries checked concurrently, 0 for one per processor.
    timeout: limit for each step of an entry.
    level: confinement level, or None for the best that this host allows.
    share: maximum number of consecutive entries that a replayer on a GPU serves, 1 for no sharing.
    timing, sanitize: whether to time passed entries, or run them under compute-sanitizer.
    """

    device: str = "interpreter"
    jobs: int = 0
    checks: tuple[str, ...] = EVERY_CHECK
    timeout: float = 60.0
    level: Level | None = None
    memory: int = 4 * GIB
    gpu_memory: float = 0.2
    share: int = 16
    seed: int = 20260101
    timing: bool = False
    sanitize: bool = False

    def validate(self) -> None:
        """Raise Unsuited if this host can't honor an option."""
        if self.jobs < 0:
            raise Unsuited("--jobs can't be negative: 0 means one for each processor.")
        if self.timeout <= 0 or self.memory <= 0:
            raise Unsuited("--timeout and --memory must be above 0.")
        if self.timing and self.device != "cuda":
            raise Unsuited("Timing needs a GPU: Triton's interpreter says nothing about speed.")
        if self.sanitize and self.device != "cuda":
            raise Unsuited("compute-sanitizer looks at what runs on a GPU, and at nothing else.")
        if self.sanitize and sanitizer.found() is None:
            raise Unsuited(
                "compute-sanitizer is neither on PATH nor where CUDA_HOME says. "
                "It comes with the CUDA toolkit."
            )

    def workers(self) -> int:
        return self.jobs or min(len(os.sched_getaffinity(0)), 16)


def add_arguments(parser: argparse.ArgumentParser, usual: Options, timing: str) -> None:
    """Add the command line's arguments for a run.

    usual: options with the defaults.
    timing: the help of `--timing`.
    """
    # Detect a GPU by its device file, because this process never imports torch.
    device = "cuda" if Path("/dev/nvidiactl").exists() else "interpreter"
    add = parser.add_argument
    add(
        "--device",
        choices=("cuda", "interpreter"),
        default=device,
        help="where kernels run: on a GPU or in Triton's interpreter (default here: %(default)s)",
    )
    add(
        "--jobs",
        type=int,
        default=0,
        help="kernels that are checked at once (default: one for each CPU)",
    )
    add(
        "--timeout",
        type=float,
        default=usual.timeout,
        help="seconds that a step may take (default: %(default)s)",
    )
    add(
        "--memory",
        type=float,
        default=usual.memory / GIB,
        help="GiB that a process may use (default: %(default)s)",
    )
    add("--timing", action="store_true", help=timing)
    add("--seed", type=int, default=usual.seed, help="of random inputs (default: %(default)s)")
    add("--sandbox", choices=[*map(str, Level)],
        help="require this confinement (default: the best here); none runs foreign code unconfined",
    )  # fmt: skip


def from_arguments(arguments: argparse.Namespace, **more: Any) -> Options:
    """Return options with the values of parsed arguments; `more` sets the remaining fields."""
    return Options(
        device=arguments.device, jobs=arguments.jobs, timeout=arguments.timeout,
        memory=int(arguments.memory * GIB), timing=arguments.timing, seed=arguments.seed,
        level=Level(arguments.sandbox) if arguments.sandbox else None, **more,
    )  # fmt: skip
