"""Finds and ends what a dead process left behind, by a mark in the environment that it inherits.

Process groups don't suffice: rq gives every job a group of its own. Linux only; elsewhere nothing
is found.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

VARIABLE = "CURATION_UP"


def mark(folder: Path, name: str) -> dict[str, str]:
    """The variable that says which `up` (it has the data folder for itself) and which process."""
    return {VARIABLE: f"{folder}:{name}"}


def find(folder: Path, name: str | None = None) -> list[int]:
    """The processes that carry the mark; without a name, those of every name."""
    wanted = os.fsencode(f"{VARIABLE}={folder}:")
    if name is not None:
        wanted += os.fsencode(name) + b"\0"
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        # Those of other users can't be read, and some end while we look.
        with suppress(OSError):
            if b"\0" + wanted in b"\0" + (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return [pid for pid in found if pid != os.getpid()]


def kill(folder: Path, name: str | None = None) -> None:
    """End them at once."""
    # Again and again, because one that was just forking has left a child that we did not see.
    deadline = time.monotonic() + 2
    while (pids := find(folder, name)) and time.monotonic() < deadline:
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def wait_and_kill(folder: Path, seconds: float) -> None:
    """Give them time to end by themselves (the kernel told them that `up` is dead), then kill."""
    deadline = time.monotonic() + seconds
    while find(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    kill(folder)
