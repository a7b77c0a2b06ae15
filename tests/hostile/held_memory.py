"""The memory of a process and its children, measured from outside while a test runs."""

import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.test_validation_killed import descendants

EVERY = 0.05
# In place of a process group's number.
SCRATCH = -1


@dataclass
class Peak:
    """Bytes that no file on disk backs: at most in all processes and the scratch, and in one
    process group."""

    tree: int = 0
    group: int = 0


@contextmanager
def measured() -> Iterator[Peak]:
    """Measure what this process starts meanwhile, and all that it starts in turn. What runs
    already, such as the warm processes of other tests, does not count."""
    peak, over = Peak(), threading.Event()
    before = frozenset(descendants(os.getpid()))

    def look() -> None:
        while not over.wait(EVERY):
            held = by_group(os.getpid(), before)
            peak.tree = max(peak.tree, sum(held.values()))
            held.pop(SCRATCH, None)
            peak.group = max(peak.group, *held.values(), 0)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def by_group(root: int, but: frozenset[int] = frozenset()) -> dict[int, int]:
    """Return what each process group below `root` holds, `but` these processes; a file of memory
    counts for one of those that have it open, a scratch that is a tmpfs for itself."""
    held: dict[int, int] = defaultdict(int, {root: 0})
    counted: set[tuple[int, int]] = set()
    for pid in descendants(root):
        if pid in but:
            continue
        with suppress(OSError):
            if command_line(pid) == command_line(root):
                # Between vfork and exec a child has the memory of its parent.
                continue
            held[os.getpgid(pid)] += proportional(pid) + memory_files(pid, counted)
            held[SCRATCH] += scratch(pid, counted)
    return held


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def proportional(pid: int) -> int:
    """Return its memory in bytes, where a page that n processes share counts as 1/n."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    wanted = ("Pss_Anon:", "Pss_Shmem:")
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(wanted))


def memory_files(pid: int, counted: set[tuple[int, int]]) -> int:
    """Return the bytes of files of memory that it has open."""
    total = 0
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            if os.readlink(link).startswith("/memfd:"):
                about = link.stat()
                if (about.st_dev, about.st_ino) not in counted:
                    counted.add((about.st_dev, about.st_ino))
                    total += about.st_blocks * 512
    return total


def scratch(pid: int, counted: set[tuple[int, int]]) -> int:
    folder = f"/proc/{pid}/root/tmp"
    device = os.stat(folder).st_dev
    if device == os.stat("/tmp").st_dev or (device, 0) in counted:
        return 0
    counted.add((device, 0))
    about = os.statvfs(folder)
    return (about.f_blocks - about.f_bfree) * about.f_frsize
