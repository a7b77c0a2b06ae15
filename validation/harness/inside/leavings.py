"""Measuring and removal of the files that an entry leaves in its folder.

The entry chose their names, depth and permissions. So no function here recurses, no path grows with
what is found, and no error is raised.
"""

import errno
import os
import secrets
from contextlib import suppress
from itertools import islice

NAMES_MOST = 10_000


def too_full(folder: str, most: int) -> bool:
    """Return whether the folder has too many bytes, too many names (counting a million takes longer
    than making them), or a path too deep to be read."""
    total = names = 0
    waiting = [folder]
    while waiting:
        try:
            found = _listed(waiting.pop())
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return True
            continue
        names += len(found)
        if names > NAMES_MOST:
            return True
        for inner in found:
            with suppress(OSError):
                if inner.is_dir(follow_symlinks=False):
                    waiting.append(inner.path)
                else:
                    total += inner.stat(follow_symlinks=False).st_blocks * 512
    return total > most


def emptied(folder: str) -> None:
    """Empty the folder, as far as the system allows. A directory is moved to the top before it is
    read."""
    waiting: set[str] = set()
    _files_away(folder, folder, waiting)
    while waiting:
        place = waiting.pop()
        _files_away(place, folder, waiting)
        with suppress(OSError):
            os.rmdir(place)


def removed(folder: str) -> None:
    emptied(folder)
    with suppress(OSError):
        os.rmdir(folder)


def _files_away(place: str, top: str, waiting: set[str]) -> None:
    """Remove the files of `place`, and move its directories to the top."""
    moved = True
    while moved:
        moved = False
        with suppress(OSError):
            for inner in _listed(place):
                moved |= inner.path not in waiting and _away(inner, top, waiting)


def _away(inner: os.DirEntry[str], top: str, waiting: set[str]) -> bool:
    higher = f"{top}/{secrets.token_hex(8)}"
    try:
        if not inner.is_dir(follow_symlinks=False):
            os.unlink(inner.path)
            return True
        # Moving a directory needs the permission to write into it.
        os.chmod(inner.path, 0o700)
        os.rename(inner.path, higher)
    except OSError:
        return False
    waiting.add(higher)
    return True


def _listed(folder: str) -> list[os.DirEntry[str]]:
    """Return the first entries, also if the permissions forbid reading."""
    try:
        return _first(folder)
    except PermissionError:
        os.chmod(folder, 0o700)
        return _first(folder)


def _first(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return list(islice(found, NAMES_MOST + 1))
