"""Limits and paths of a confined program."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Level(StrEnum):
    """Levels of confinement, best first."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"


class SandboxUnavailable(Exception):
    """This host can't confine programs; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of one process, of a process group, and of all processes together.

    memory: address space of one process in bytes. None under CUDA, which reserves more of it than
    any machine has.
    group_memory, tree_memory: memory of a process group and of all processes together, in bytes,
    not counting the scratch folder.
    processes: number of all processes and threads.
    group_processes, threads: number of processes of a group, and of threads of one process.
    """

    memory: int | None
    group_memory: int
    tree_memory: int
    cpu_seconds: int
    processes: int
    file_size: int
    open_files: int
    group_processes: int | None = None
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class Confinement:
    """Paths that a program may read, at the same path inside as outside, and its limits.

    scratch: size limit in bytes of the private folder to which `TMPDIR` points inside.
    """

    readable: tuple[Path, ...]
    limits: RunLimits
    scratch: int
    gpu: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
