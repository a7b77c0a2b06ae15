"""Leftover processes of a dead `up`, identified by an inherited environment variable.

Process groups do not suffice, because rq gives every job its own group. Linux only; elsewhere no
process is found.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

VARIABLE = "CURATION_UP"


def mark(folder: Path, name: str) -> dict[str, str]:
    """Return the variable that marks a process with its name and the data folder of its `up`."""
    return {VARIABLE: f"{folder}:{name}"}


def find(folder: Path, name: str | None = None) -> list[int]:
    """Return the ids of the processes with this name, or of all marked processes without it."""
    mark_bytes = os.fsencode(f"{VARIABLE}={folder}:")
    if name is not None:
        mark_bytes += os.fsencode(name) + b"\0"
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        # Other users' processes can't be read, and some end meanwhile.
        with suppress(OSError):
            if b"\0" + mark_bytes in b"\0" + (entry / "environ").read_bytes():
                pids.append(int(entry.name))
    return [pid for pid in pids if pid != os.getpid()]


def kill(folder: Path, name: str | None = None) -> None:
    """Kill the marked processes without a grace period."""
    # Repeated, because a process may fork between the search and the kill.
    deadline = time.monotonic() + 2
    while (pids := find(folder, name)) and time.monotonic() < deadline:
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def wait_and_kill(folder: Path, seconds: float) -> None:
    """Give the processes time to end by themselves, then kill them.

    The kernel sent them SIGTERM when `up` died.
    """
    deadline = time.monotonic() + seconds
    while find(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    kill(folder)
