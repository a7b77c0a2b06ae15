"""Removal of mirrors that have not been used for long or that together take too much space."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

DAY = 86_400.0
# A run reads its mirror for hours after the fetch, and does not hold the lock then.
IN_USE_SECONDS = DAY
REMOVING = ".removing-"


@dataclass(frozen=True, slots=True)
class Usage:
    """Time of the last fetch into a mirror, and its size on the disk."""

    folder: Path
    used_at: float
    bytes: int


def remove_unused(mirrors: Path, *, days: int, most_bytes: int) -> Iterator[Usage]:
    """Remove unused mirrors and yield each. Raises OSError if a folder can't be removed.

    First it removes the mirrors that were not used for `days`. Then it removes the least recently
    used ones until all mirrors take at most `most_bytes`. 0 disables either limit. It never removes
    a mirror that is locked or was used within a day. If the process is killed, no fetch uses the
    partly removed mirror, and the next call removes it completely.
    """
    for rest in mirrors.glob(f"{REMOVING}*"):
        shutil.rmtree(rest)
    now = time.time()
    existing = sorted(map(_measure, mirrors.glob("[!.]*.git")), key=lambda mirror: mirror.used_at)
    total = sum(mirror.bytes for mirror in existing)
    for mirror in existing:
        idle = now - mirror.used_at
        too_old = days and idle >= days * DAY
        too_much = most_bytes and total > most_bytes
        if (too_old or too_much) and idle >= IN_USE_SECONDS and _remove(mirror):
            total -= mirror.bytes
            yield mirror


def _remove(mirror: Usage) -> bool:
    """Remove a mirror, unless it is locked or was used after it was measured.

    The lock file is kept, because other processes may wait for it.
    """
    lock = mirror.folder.with_suffix(".lock")
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _used_at(mirror.folder) != mirror.used_at:
            return False
        # Rename first, so that a fetch finds either a complete mirror or no mirror.
        leaving = mirror.folder.with_name(f"{REMOVING}{mirror.folder.name}")
        mirror.folder.rename(leaving)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    shutil.rmtree(leaving)
    return True


def _used_at(folder: Path) -> float:
    """Return the time at which a fetch last took the mirror's lock."""
    for path in (folder.with_suffix(".lock"), folder):
        with suppress(FileNotFoundError):
            return path.stat().st_mtime
    return time.time()


def _measure(folder: Path) -> Usage:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                size += os.lstat(os.path.join(place, name)).st_blocks * 512
    return Usage(folder, _used_at(folder), size)
