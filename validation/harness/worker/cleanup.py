"""Size check and removal of the files that an entry leaves in its folder.

Attack: the entry chooses names, depths and permissions that make the cleanup fail or hang.
Defense: functions here use no recursion, build no long paths, and raise no error.
"""

import errno
import os
import secrets
from contextlib import suppress
from itertools import islice

NAMES_MOST = 10_000


def is_too_full(folder: str, most: int) -> bool:
    """Return whether the folder has more than `most` bytes, too many names, or too deep a path.

    Names are limited because counting a million of them takes longer than making them.
    """
    total = names = 0
    waiting = [folder]
    while waiting:
        try:
            entries = _list(waiting.pop())
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return True
            continue
        names += len(entries)
        if names > NAMES_MOST:
            return True
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total > most


def empty_folder(folder: str) -> None:
    """Empty the folder as far as the system permits."""
    refused: set[str] = set()
    with suppress(OSError):
        while entries := [entry for entry in _list(folder) if entry.path not in refused]:
            for entry in entries:
                try:
                    _remove(entry, folder)
                except OSError:
                    refused.add(entry.path)


def remove_folder(folder: str) -> None:
    empty_folder(folder)
    with suppress(OSError):
        os.rmdir(folder)


def _remove(entry: os.DirEntry[str], top: str) -> None:
    """Remove a file or a folder. Its content moves to the top first, so that paths stay short."""
    if not entry.is_dir(follow_symlinks=False):
        os.unlink(entry.path)
        return
    os.chmod(entry.path, 0o700)
    inner = _list(entry.path)
    for part in inner:
        # Moving a folder requires write permission for it.
        if part.is_dir(follow_symlinks=False):
            os.chmod(part.path, 0o700)
        os.rename(part.path, f"{top}/{secrets.token_hex(8)}")
    # A longer list ends later.
    if len(inner) <= NAMES_MOST:
        os.rmdir(entry.path)


def _list(folder: str) -> list[os.DirEntry[str]]:
    """Return the first entries of a folder, even if its permissions forbid reading."""
    try:
        entries = os.scandir(folder)
    except PermissionError:
        os.chmod(folder, 0o700)
        entries = os.scandir(folder)
    with entries:
        return list(islice(entries, NAMES_MOST + 1))
