"""Writing a folder so that it is there whole or not at all, whatever happens meanwhile."""

import ctypes
import errno
import fcntl
import glob
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from curation.errors import CurationError

MANIFEST = "MANIFEST.json"
# Part of the name of a folder that is being written, so that a killed one's is known as ours.
UNFINISHED = "unfinished-"


class FolderNotWritten(CurationError):
    """The target can't be written, or holds something that isn't ours."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder beside `target` that becomes `target` once it is complete.

    An earlier folder of ours is replaced at that moment, and not before.
    """
    target = target.absolute()
    check_target(target)
    try:
        _make_open(target.parent)
        _clear_leftovers(target)
        # Beside the target, so that the last step is one rename within a file system.
        name = f".{target.name}.{UNFINISHED}"
        beside = Path(tempfile.mkdtemp(prefix=name, dir=target.parent))
        held = _hold(beside)
    except OSError as error:
        raise _said(target, error) from error
    try:
        yield beside
        for path in [*beside.rglob("*"), beside]:
            # A dataset is for others too; the data folder keeps them from those in it.
            path.chmod(0o755 if path.is_dir() else 0o644)
            _sync(path)
        _put_in_place(beside, target)
        _sync(target.parent)
    except OSError as error:
        raise _said(target, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        os.close(held)


def _make_open(folder: Path) -> None:
    """Make a folder, and those above it, for others to read."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        path.chmod(0o755)


def is_ours(folder: Path) -> bool:
    """Whether a folder holds an export and nothing that somebody added to it."""
    try:
        listed = _listed(json.loads((folder / MANIFEST).read_text())) | {MANIFEST}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    return present <= listed


def _listed(manifest: Any) -> set[str]:
    """What a manifest names: plain folders list their files by category."""
    entries = list(manifest["files"])
    for category in manifest.get("categories", {}).values():
        entries += category.get("files", ())
    return {entry["path"] for entry in entries}


def check_target(target: Path) -> None:
    """Refuse at once what would be refused once all the work is done."""
    if not _may_become(target.absolute()):
        raise FolderNotWritten(
            f"{target} is there already and not empty, and not an export as it was written. "
            "Name a new folder."
        )


def _may_become(target: Path) -> bool:
    if not target.is_dir():
        return not target.exists()
    return not any(target.iterdir()) or is_ours(target)


def _clear_leftovers(target: Path) -> None:
    """Remove what a killed export to the same place has left. One that still runs holds its own."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.{UNFINISHED}*"):
        with suppress(OSError):
            os.close(_hold(path))
            shutil.rmtree(path)


def _hold(folder: Path) -> int:
    """Lock a folder for as long as this process lives; raises where another one holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _put_in_place(beside: Path, target: Path) -> None:
    if not target.exists() or not any(target.iterdir()):
        beside.rename(target)
        return
    # Somebody may have put something there while we wrote.
    if not is_ours(target):
        raise OSError(errno.ENOTEMPTY, "somebody has put files there meanwhile")
    _exchange(beside, target)


def _exchange(one: Path, other: Path) -> None:
    """Swap two folders in one step: at no moment is there none. Python has no name for it."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    at_fdcwd, exchange = -100, 2
    if renameat2(at_fdcwd, os.fsencode(one), at_fdcwd, os.fsencode(other), exchange):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _said(target: Path, error: OSError) -> FolderNotWritten:
    return FolderNotWritten(f"{target} can't be written: {error.strerror or error}.")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
