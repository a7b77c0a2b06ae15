"""A control group (cgroup v2) for each sandbox: the kernel's own bound on its processes.

A group with processes can't bound the groups in it. So a sandbox's group is made beside this
process's own, in the parent, or below its own if that is the root. Only groups that an
administrator, systemd or a container's runtime has handed over are used.
"""

import itertools
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from validation.sandbox.confinement import Limits, SandboxUnavailable

MOUNT = Path("/sys/fs/cgroup")
NAME = "curation-sandbox"
_numbers = itertools.count(1)


class NoCgroup(SandboxUnavailable):
    """No group can be made here; the sentence says why."""


def make(limits: Limits, scratch: int) -> Path:
    """Make a group with the limits of a sandbox, and remove the groups of processes that ended."""
    parent = home()
    for group in parent.glob(f"{NAME}-*-*"):
        if not Path("/proc", group.name.split("-")[-2]).exists():
            remove(group)
    group = parent / f"{NAME}-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
        (group / "memory.max").write_text(str(limits.tree_memory + scratch))
        for name, value in (("memory.swap.max", 0), ("pids.max", limits.processes)):
            if (group / name).exists():
                (group / name).write_text(str(value))
    except OSError as error:
        remove(group)
        raise NoCgroup(f"{parent} takes no group ({error.strerror})") from error
    return group


@cache
def home() -> Path:
    """Return the group in which the groups of sandboxes are made."""
    own = own_group()
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


def own_group() -> Path:
    """Return the group of this process."""
    if not (MOUNT / "cgroup.controllers").exists():
        raise NoCgroup("cgroup v2 is not mounted on /sys/fs/cgroup")
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        if line.startswith("0::/"):
            group = MOUNT / line.removeprefix("0::/")
            if ".." in group.parts or not group.is_dir():
                raise NoCgroup("this process is in a group that can't be seen from here")
            return group
    raise NoCgroup("this process is in no cgroup v2")


def entrance(group: Path) -> int:
    """Open the file into which a process writes 0 to enter the group.

    The kernel asks what the opener may do, so a process that sees nothing of the host can enter.
    """
    return os.open(group / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)


def killed(group: Path) -> int:
    """Return how many processes the kernel has ended in the group for lack of memory."""
    with suppress(OSError, ValueError):
        for line in (group / "memory.events").read_text().splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0


def remove(group: Path) -> None:
    """Remove a group without processes. One with processes is removed by a later `make`."""
    with suppress(OSError):
        group.rmdir()


def _controls_memory(group: Path) -> bool:
    try:
        return "memory" in (group / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
