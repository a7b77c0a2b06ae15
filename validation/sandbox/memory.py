"""The bound on a sandbox's memory, on the side that started it."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from validation.sandbox import cgroup
from validation.sandbox.confinement import Confinement

# The database, the web server and the judge share the machine with the sandboxes.
SHARE = 2


@dataclass(eq=False, slots=True)
class Bound:
    """What bounds one sandbox.

    record: the open file that gets a line from the guard for each process group that it ends.
    group: the sandbox's cgroup, if it has one.
    entrance: the open file by which a process enters the cgroup, or -1.
    """

    record: int
    group: Path | None
    entrance: int = -1
    explained: int = 0

    @classmethod
    def make(cls, confinement: Confinement, *, grouped: bool) -> "Bound":
        group = cgroup.make(confinement.limits, confinement.scratch) if grouped else None
        entrance = cgroup.entrance(group) if group else -1
        return cls(os.memfd_create("ended", os.MFD_CLOEXEC), group, entrance)

    def ended_for(self, group: int) -> str:
        """Return why the process group with that number inside was ended, or "" if it was not."""
        for line in os.pread(self.record, 1 << 20, 0).splitlines():
            number, _, why = line.decode().partition(" ")
            if number == str(group):
                return why
        # The kernel does not say which group it ended, so each end explains one.
        if self.group is not None and cgroup.killed(self.group) > self.explained:
            self.explained += 1
            return "memory"
        return ""

    def close_entrance(self) -> None:
        if self.entrance >= 0:
            os.close(self.entrance)
            self.entrance = -1

    def close(self) -> None:
        os.close(self.record)
        if self.group is not None:
            cgroup.remove(self.group)


def half_of_memory() -> int:
    """Return half of this machine's memory, or of the cgroup's that this process is in."""
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
    limits = []
    for group in (own, *own.parents):
        with suppress(OSError, ValueError):
            limits.append(int((group / "memory.max").read_text()))
    return limits
