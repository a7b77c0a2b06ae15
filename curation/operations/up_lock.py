"""Lock of `manage.py up` on its data folder, containing its process id and URL."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curation.errors import CurationError

NAME = "up.lock"


class RunsAlready(CurationError):
    """Another `up` uses the data folder: both would use the same database, queue and log."""


@contextmanager
def hold(folder: Path, url: str) -> Iterator[None]:
    """Hold the lock on the data folder. The kernel releases it when the process ends."""
    with (folder / NAME).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise RunsAlready(
                f"`up` runs already on the data folder {folder} (process "
                f"{lock.readline().strip()}). Stop it first, or point CURATION_DATA at another "
                "folder."
            ) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n{url}\n")
        lock.flush()
        yield


def site_address(folder: Path) -> str:
    """Return the URL at which `up` serves the site, or "" if it does not run here."""
    # Probing the lock would make an `up` fail that starts at the same time.
    try:
        pid, url = (folder / NAME).read_text().splitlines()
        os.kill(int(pid), 0)
    except (OSError, ValueError):
        return ""
    return url
