"""Memory limits of a sandbox, for the process that starts the sandbox.

`guard.py` adds up the memory of all processes, and records which groups it kills. If cgroups
(version 2) control memory, each sandbox also has a cgroup. A cgroup with processes can't limit its
children. So the new cgroup is a sibling of this process's cgroup, or a child if that is the root.
Only cgroups delegated by an administrator, systemd or a container runtime are used.
"""

import itertools
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from validation.harness.sandbox.confinement import Confinement, SandboxUnavailable

# Sandboxes get 1/SHARE of the memory. Database, web server and judge need the other half.
SHARE = 2
MOUNT = Path("/sys/fs/cgroup")
NAME = "curation-sandbox"
_numbers = itertools.count(1)


class NoCgroup(SandboxUnavailable):
    """No cgroup can be created; the message says why."""


@dataclass(eq=False, slots=True)
class Bound:
    """Record and cgroup of one sandbox.

    record: open file that gets a line from the guard for each process group that it kills.
    cgroup: the sandbox's cgroup, if it has one.
    entrance: file descriptor by which a process joins the cgroup, or -1. The kernel checks the
    opener's rights, so a process that can't see the host's files can join.
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
        """Return why a process group was killed: "memory", "processes", "threads", or "".

        group: its number inside of the sandbox.
        """
        for line in self.ended_groups():
            number, _, why = line.partition(" ")
            if number == str(group):
                return why
        # The kernel does not say which group it killed, so each of its kills explains one end.
        if self.cgroup is not None and _kills(self.cgroup) > self.explained:
            self.explained += 1
            return "memory"
        return ""

    def ended_groups(self) -> list[str]:
        """Return a line for each process group that the guard killed: its number, and why."""
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
    """Create a cgroup with a sandbox's limits, and remove cgroups whose processes have ended."""
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
    """Return the cgroup in which to create the sandboxes' cgroups, or raise NoCgroup."""
    own = _own_cgroup()
    parent = own if own == MOUNT else own.parent
    if not os.access(parent, os.W_OK):
        raise NoCgroup(f"no group can be made in {parent}")
    # A service of an unprivileged user, with a delegated cgroup: `Delegate=` of systemd.
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
    """Return how many processes in the cgroup the kernel has killed for lack of memory."""
    with suppress(OSError, ValueError):
        for line in (group / "memory.events").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def _remove(group: Path) -> None:
    """Remove a cgroup if it has no processes. If it has some, creating the next one removes it."""
    with suppress(OSError):
        group.rmdir()


def half_of_memory() -> int:
    """Return half of this machine's memory, or of the limit of this process's cgroup."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(NoCgroup, OSError):
        own = _own_cgroup()
        for group in (own, *own.parents):
            with suppress(OSError, ValueError):
                limits.append(int((group / "memory.max").read_text()))
    return min(limits) // SHARE
