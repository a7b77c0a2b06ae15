"""Share of the processors that other programs use during a measurement."""

import os
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class Load:
    """Load of the processors since this object was created.

    own: whether to measure this process's load too (15 ms), so that it can be subtracted.
    """

    def __init__(self, *, own: bool) -> None:
        self._started, self._busy = time.monotonic(), busy_seconds()
        self._own = own_seconds() if own else 0.0

    def is_full(self) -> bool:
        """Return whether less than one processor was idle on average."""
        processors = len(os.sched_getaffinity(0))
        return self._share(busy_seconds() - self._busy) > 1.0 - 1.0 / processors

    def of_others(self) -> float:
        """Return the share of all processors that other programs used, from 0 to 1.

        Attack: a kernel loads the machine itself, so that its timeout is excused.
        Defense: the load of all descendants of this process is not counted.
        """
        busy = busy_seconds() - self._busy
        return self._share(busy - (own_seconds() - self._own))

    def _share(self, seconds: float) -> float:
        passed = max(time.monotonic() - self._started, 0.001)
        return min(1.0, max(0.0, seconds / (passed * len(os.sched_getaffinity(0)))))


def busy_seconds() -> float:
    """Return the busy seconds of the processors that this process may use."""
    names = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    ticks = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name in names:
            user, nice, system, _idle, _waiting, *rest = map(int, fields)
            # Add interrupts and time stolen by a hypervisor. User time includes guests.
            ticks += user + nice + system + sum(rest[:3])
    return ticks / TICKS


def own_seconds() -> float:
    """Return the CPU seconds of this process and all its descendants, including ended ones."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    root = os.getpid()
    return sum(ticks[pid] for pid in ticks if _descends(pid, root, parents)) / TICKS


def _descends(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid not in (0, root):
        pid = parents.get(pid, 0)
    return pid == root
