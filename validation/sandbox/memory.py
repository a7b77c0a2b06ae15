"""The bound on a sandbox's memory, and which of its processes were killed for it."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary, finalize

from validation.sandbox import cgroup
from validation.sandbox.confinement import Confinement

# The database, the web server and the judge share the machine with the sandboxes.
SHARE = 2


@dataclass
class Bound:
    """The bounds of one sandbox, on the side that started it. `record` is the open file into which
    its guard writes what it ends."""

    record: int
    group: Path | None = None
    _explained: int = field(default=0)

    def ended(self, group: int) -> bool:
        """Say whether the process group with that number inside was ended for its memory. An end by
        the kernel has no name: each explains one group."""
        if str(group).encode() in os.pread(self.record, 1 << 20, 0).split():
            return True
        if self.group is not None and cgroup.killed(self.group) > self._explained:
            self._explained += 1
            return True
        return False

    def close(self) -> None:
        with suppress(OSError):
            os.close(self.record)
        if self.group is not None:
            cgroup.remove(self.group)


_bounds: WeakKeyDictionary[subprocess.Popen[bytes], tuple[Bound, "finalize[..., object]"]] = (
    WeakKeyDictionary()
)


def bound(confinement: Confinement, *, grouped: bool) -> Bound:
    """Make what bounds a program, before it is started."""
    group = cgroup.make(confinement.limits, confinement.scratch) if grouped else None
    return Bound(os.memfd_create("ended", os.MFD_CLOEXEC), group)


def remember(process: subprocess.Popen[bytes], held: Bound) -> None:
    _bounds[process] = (held, finalize(process, held.close))


def ended_for_memory(process: subprocess.Popen[bytes], group: int) -> bool:
    """Say whether a process group of what `start` returned was ended for the memory that it held.
    `group` is its number inside the sandbox."""
    held = _bounds.get(process)
    return held is not None and held[0].ended(group)


def forget(process: subprocess.Popen[bytes]) -> None:
    """Give back what bounded a program that has ended."""
    if (held := _bounds.pop(process, None)) is not None:
        held[1]()


def half_of_memory() -> int:
    """Return half of what this machine has, or the cgroup that this process is in."""
    return min([_machine(), *_groups()]) // SHARE


def _machine() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/meminfo names no MemTotal")


def _groups() -> Sequence[int]:
    try:
        own = cgroup.own_group()
    except (cgroup.NoCgroup, OSError):
        return ()
    found = []
    for group in (own, *own.parents):
        with suppress(OSError, ValueError):
            found.append(int((group / "memory.max").read_text()))
    return found
