"""An attacker: tries to reach each other process of its sandbox, and each folder but its own."""

import ctypes
import os
import re
import resource
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

FDS = 24
PAUSE = 0.3
GARBAGE = b"garbage of a neighbor "
OWN_FOLDER = Path(tempfile.gettempdir())
ROOT = OWN_FOLDER.parent
TGKILL, INOTIFY_ADD_WATCH = {"x86_64": (234, 254)}.get(os.uname().machine, (131, 27))

libc = ctypes.CDLL(None, use_errno=True)


def attack(seconds: float) -> str:
    """Return the ways that led to another program, each with its number of successes."""
    reached: Counter[str] = Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        names = folders(reached)
        for pid in others():
            for way, step in PROCESS.items():
                reached[way] += succeeds(step, pid)
            for number in range(FDS):
                reached["fd"] += succeeds(overwrite, Path(f"/proc/{pid}/fd/{number}"))
            names |= told(pid)
        for folder in names - {str(OWN_FOLDER)}:
            reached["chmod"] += succeeds(os.chmod, folder, 0)
            reached["folder"] += succeeds(os.listdir, folder)
            reached["file"] += succeeds(overwrite, Path(folder, "unit.py"))
        # Its neighbors need the processor: without a pause it takes one of two.
        time.sleep(PAUSE)
    led = {way: count for way, count in reached.items() if count}
    return f"reached {led or 'nothing'}"


def others() -> Iterator[int]:
    """Processes that may be neighbors: numbers near its own, and the first ones."""
    own = os.getpid()
    yield from (pid for pid in range(max(1, own - 150), own + 150) if pid != own)


def folders(reached: Counter[str]) -> set[str]:
    """Names in the folder that holds all programs' folders."""
    watch = libc.inotify_init1(os.O_NONBLOCK)
    reached["inotify"] += libc.syscall(INOTIFY_ADD_WATCH, watch, str(ROOT).encode(), 0x100) >= 0
    os.close(watch)
    try:
        found = {str(path) for path in ROOT.iterdir() if path.name.startswith(("child-", "tmp"))}
    except OSError:
        return set()
    reached["list"] += 1
    return found


def told(pid: int) -> set[str]:
    """Folders that the command line of another process names."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return set()
    return set(re.findall(rf"{ROOT}/(?:child-|tmp)\w+", line))


def succeeds(step: Callable[..., object], *arguments: object) -> bool:
    try:
        step(*arguments)
    except (OSError, ValueError):
        return False
    return True


def overwrite(path: Path) -> None:
    fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.pwrite(fd, GARBAGE, 0)
    finally:
        os.close(fd)


def open_memory(pid: int) -> None:
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))


def read(name: str) -> Callable[[int], None]:
    def reader(pid: int) -> None:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            file.read(1)

    return reader


def signal_thread(pid: int) -> None:
    if libc.syscall(TGKILL, pid, pid, 0):
        raise OSError


def signal_by_file(pid: int) -> None:
    fd = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(fd, 0)
    finally:
        os.close(fd)


# With a signal of 0 and values as they are: the kernel asks for the same rights, and a neighbor
# that was reached lives on to be counted.
PROCESS: dict[str, Callable[[int], object]] = {
    "mem": open_memory,
    "maps": read("maps"),
    "environ": read("environ"),
    "cmdline": read("cmdline"),
    "kill": lambda pid: os.kill(pid, 0),
    "tgkill": signal_thread,
    "pidfd": signal_by_file,
    "prlimit": lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE),
    "priority": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 1),
    "affinity": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(0)),
}
