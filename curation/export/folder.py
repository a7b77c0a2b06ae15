"""Atomic creation of a folder: it exists completely or not at all."""

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
# Part of the name of an unfinished folder, so that leftovers of a killed export are known.
UNFINISHED = "unfinished-"


class FolderNotWritten(CurationError):
    """The target can't be written, or contains foreign files."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder next to `target` that becomes `target` once it is complete.

    An earlier export at `target` is replaced only at that moment.
    """
    target = target.absolute()
    check_target(target)
    try:
        _make_open(target.parent)
        _clear_leftovers(target)
        # In the same parent, so that the last step is a rename within one file system.
        name = f".{target.name}.{UNFINISHED}"
        beside = Path(tempfile.mkdtemp(prefix=name, dir=target.parent))
        lock = _hold(beside)
    except OSError as error:
        raise _said(target, error) from error
    try:
        yield beside
        for path in [*beside.rglob("*"), beside]:
            # A dataset is for others too; inside the data folder, the folder's mode protects it.
            path.chmod(0o755 if path.is_dir() else 0o644)
            _sync(path)
        _put_in_place(beside, target)
        _sync(target.parent)
    except OSError as error:
        raise _said(target, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        os.close(lock)


def _make_open(folder: Path) -> None:
    """Create a folder and its parents, readable by others."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        path.chmod(0o755)


def is_ours(folder: Path) -> bool:
    """Return True if a folder contains an export and no other files."""
    try:
        listed = _listed(json.loads((folder / MANIFEST).read_text())) | {MANIFEST}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    return present <= listed


def _listed(manifest: Any) -> set[str]:
    """Return the paths in a manifest. Those of plain folders list files by category."""
    entries = list(manifest["files"])
    for category in manifest.get("categories", {}).values():
        entries += category.get("files", ())
    return {entry["path"] for entry in entries}


def check_target(target: Path) -> None:
    """Refuse early a target that would be refused after all the work."""
    if not _may_become(target.absolute()):
        raise FolderNotWritten(
            f"{target} exists, is not empty, and is not an unchanged export. Name a new folder."
        )


def _may_become(target: Path) -> bool:
    if not target.is_dir():
        return not target.exists()
    return not any(target.iterdir()) or is_ours(target)


def _clear_leftovers(target: Path) -> None:
    """Remove leftovers of killed exports to this target. A live export holds its lock."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.{UNFINISHED}*"):
        with suppress(OSError):
            os.close(_hold(path))
            shutil.rmtree(path)


def _hold(folder: Path) -> int:
    """Lock a folder for the life of this process. Raise OSError if another process holds it."""
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
    # Another process may have written files there meanwhile.
    if not is_ours(target):
        raise OSError(errno.ENOTEMPTY, "other files were put there meanwhile")
    _exchange(beside, target)


def _exchange(first: Path, second: Path) -> None:
    """Swap two folders atomically, so that the target always exists. Python has no such call."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    at_fdcwd, exchange = -100, 2
    if renameat2(at_fdcwd, os.fsencode(first), at_fdcwd, os.fsencode(second), exchange):
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
