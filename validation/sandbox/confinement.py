"""What a confined program may see, use and spend."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Level(StrEnum):
    """How a program is confined, best first."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"


class SandboxUnavailable(Exception):
    """This host can't confine programs; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Memory, CPU time, file size and open files bound each process, `processes` all of them.

    Threads count as processes. `memory` is address space in bytes; None under CUDA, which
    reserves more of it than any machine has. The other two count what is really held, the scratch
    not included: `group_memory` by a process group, `tree_memory` by all processes together.
    """

    memory: int | None
    group_memory: int
    tree_memory: int
    cpu_seconds: int
    processes: int
    file_size: int
    open_files: int


@dataclass(frozen=True, slots=True)
class Confinement:
    """`scratch` is how many bytes fit into the private folder that `TMPDIR` names inside.

    Paths are the same inside as outside. As root, a `writable` folder is handed over to the
    user that the program runs as.
    """

    readable: tuple[Path, ...]
    limits: Limits
    scratch: int
    writable: tuple[Path, ...] = ()
    gpu: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
