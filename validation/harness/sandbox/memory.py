"""Bounds on a sandbox's memory, on the side that started it.

`guard.py` adds up what all processes hold, and records what it ends. If cgroups (version 2)
control memory, each sandbox also has a group of its own. A group with processes can't bound the
groups in it, so it is made in the parent of this process's group, or below its own if that is the
root. Only groups that an administrator, systemd or a container's runtime has handed over are used.
"""

import itertools
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from validation.harness.sandbox.confinement import Confinement, SandboxUnavailable

# The database, the web server and the judge share the machine with the sandboxes.
SHARE = 2
MOUNT = Path("/sys/fs/cgroup")
NAME = "curation-sandbox"
_numbers = itertools.count(1)


class NoCgroup(SandboxUnavailable):
    """No cgroup can be made here; the sentence says why."""


@dataclass(eq=False, slots=True)
class Bound:
    """The record and the cgroup of one sandbox.

    record: the open file that gets a line from the guard for each process group that it ends.
    cgroup: the sandbox's cgroup, if it has one.
    entrance: the open file by which a process enters the cgroup, or -1. The kernel asks what the
        opener may do, so a process that sees nothing of the host can enter.
    """

    record: int
    cgroup: Path | None = None
    entrance: int = -1
    explained: int = 0

    @classmethod
    def make(cls, confinement: Confinement, *, grouped: bool) -> "Bound":
        cgroup = _make_cgroup(confinement) if grouped else None
        entrance = os.open(cgroup / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) if cgroup else -1
        return cls(os.memfd_create("ended", os.MFD_CLOEXEC), cgroup, entrance)

    def ended_for(self, group: int) -> str:
        """Return why a process group was ended: "memory", "processes", "threads", or "" if not.

        group: its number inside the sandbox.
        """
        for line in self.ended_groups():
            number, _, why = line.partition(" ")
            if number == str(group):
                return why
        # The kernel does not say which group it ended, so each end explains one.
        if self.cgroup is not None and _kills(self.cgroup) > self.explained:
            self.explained += 1
            return "memory"
        return ""

    def ended_groups(self) -> list[str]:
        """Return a line for each process group that the guard ended: its number, and why."""
        return os.pread(self.record, 1 << 20, 0).decode().splitlines()

    def close_entrance(self) -> None:
        if self.entrance >= 0:
            os.close(self.entrance)
            self.entrance = -1

    def close(self) -> None:
        os.close(self.record)
        if self.cgroup is not None:
            _remove(self.cgroup)


def _make_cgroup(confinement: Confinement) -> Path:
    """Make a cgroup with the limits of a sandbox, and remove those of processes that ended."""
    parent = parent_cgroup()
    for group in parent.glob(f"{NAME}-*-*"):
        if not Path("/proc", group.name.split("-")[-2]).exists():
            _remove(group)
    group = parent / f"{NAME}-{os.getpid()}-{next(_numbers)}"
    limits = confinement.limits
    try:
        group.mkdir()
        (group / "memory.max").write_text(str(limits.tree_memory + confinement.scratch))
        for name, value in (("memory.swap.max", 0), ("pids.max", limits.processes)):
            if (group / name).exists():
                (group / name).write_text(str(value))
    except OSError as error:
        _remove(group)
        raise NoCgroup(f"{parent} takes no group ({error.strerror})") from error
    return group


@cache
def parent_cgroup() -> Path:
    """Return the cgroup in which those of sandboxes are made, or raise NoCgroup."""
    own = _own_cgroup()
    parent = own if own == MOUNT else own.parent
    if not os.access(parent, os.W_OK):
        raise NoCgroup(f"no group can be made in {parent}")
    # A service of an ordinary user, with a group handed over to it: `Delegate=` of systemd.
    if not _controls_memory(parent) and os.geteuid() and parent.stat().st_uid == os.geteuid():
        with suppress(OSError):
            (parent / "cgroup.subtree_control").write_text("+memory +pids")
    if not _controls_memory(parent):
        raise NoCgroup(f"groups in {parent} can't bound memory")
    return parent


def _own_cgroup() -> Path:
    """Return the cgroup of this process, or raise NoCgroup."""
    if not (MOUNT / "cgroup.controllers").exists():
        raise NoCgroup("cgroup v2 is not mounted on /sys/fs/cgroup")
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        if line.startswith("0::/"):
            group = MOUNT / line.removeprefix("0::/")
            if ".." in group.parts or not group.is_dir():
                raise NoCgroup("this process is in a group that can't be seen from here")
            return group
    raise NoCgroup("this process is in no cgroup v2")


def _controls_memory(group: Path) -> bool:
    try:
        return "memory" in (group / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


def _kills(group: Path) -> int:
    """Return how many processes the kernel has ended in the cgroup for lack of memory."""
    with suppress(OSError, ValueError):
        for line in (group / "memory.events").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def _remove(group: Path) -> None:
    """Remove a cgroup without processes. One with processes is removed when the next is made."""
    with suppress(OSError):
        group.rmdir()


def half_of_memory() -> int:
    """Return half of this machine's memory, or of the cgroup's that this process is in."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(NoCgroup, OSError):
        own = _own_cgroup()
        for group in (own, *own.parents):
            with suppress(OSError, ValueError):
                limits.append(int((group / "memory.max").read_text()))
    return min(limits) // SHARE
