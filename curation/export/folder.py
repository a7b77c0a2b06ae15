"""Output folder of an export, which is complete or does not exist, and its text files."""

import ctypes
import errno
import fcntl
import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from curation.errors import CurationError

MANIFEST = "MANIFEST.json"
# Part of the name of an unfinished folder. It identifies the leftovers of a killed export.
UNFINISHED = "unfinished-"


class FolderNotWritten(CurationError):
    """An error because the target can't be written, or contains files of another origin."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder next to `target` that becomes `target` once it is complete.

    Until then, an earlier export at `target` stays unchanged.
    """
    target = target.absolute()
    check_target(target)
    try:
        _make_open(target.parent)
        _clear_leftovers(target)
        # Use the same parent folder, so that the last step is a rename within one file system.
        name = f".{target.name}.{UNFINISHED}"
        beside = Path(tempfile.mkdtemp(prefix=name, dir=target.parent))
        lock = _hold(beside)
    except OSError as error:
        raise _not_written(target, error) from error
    try:
        yield beside
        for path in [*beside.rglob("*"), beside]:
            # Let other users read a dataset. The mode of the data folder may still keep them out.
            path.chmod(0o755 if path.is_dir() else 0o644)
            _sync(path)
        _put_in_place(beside, target)
        _sync(target.parent)
    except OSError as error:
        raise _not_written(target, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        os.close(lock)


def _make_open(folder: Path) -> None:
    """Create a folder and its parents. Other users may read them."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        path.chmod(0o755)


def is_ours(folder: Path) -> bool:
    """Return True if a folder contains an export and no other files."""
    try:
        listed = listed_paths(json.loads((folder / MANIFEST).read_text())) | {MANIFEST}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    return present <= listed


def listed_paths(manifest: Any) -> set[str]:
    """Return the paths in a manifest. The manifest of `extract` lists files by category."""
    entries = list(manifest["files"])
    for category in manifest.get("categories", {}).values():
        entries += category.get("files", ())
    return {entry["path"] for entry in entries}


def check_target(target: Path) -> None:
    """Refuse a target that can't be written, before the export does all its work."""
    for above in target.absolute().parents:
        if above.exists() and not above.is_dir():
            raise FolderNotWritten(f"{target} can't be written: {above} is a file.")
    if not _may_become(target.absolute()):
        raise FolderNotWritten(
            f"{target} exists, is not empty, and is not an unchanged export. Name a new folder."
        )


def _may_become(target: Path) -> bool:
    if not target.is_dir():
        return not target.exists()
    return not any(target.iterdir()) or is_ours(target)


def _clear_leftovers(target: Path) -> None:
    """Remove leftovers of killed exports to this target. Folders of live exports are locked."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.{UNFINISHED}*"):
        with suppress(OSError):
            os.close(_hold(path))
            shutil.rmtree(path)


def _hold(folder: Path) -> int:
    """Lock a folder until this process ends. Raise OSError if another process has locked it."""
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
    # Another process may have written files there since `check_target`.
    if not is_ours(target):
        raise OSError(errno.ENOTEMPTY, "other files were put there meanwhile")
    _exchange(beside, target)


def _exchange(first: Path, second: Path) -> None:
    """Swap two folders atomically, so that the target always exists. Python lacks this function."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    at_fdcwd, exchange = -100, 2
    if renameat2(at_fdcwd, os.fsencode(first), at_fdcwd, os.fsencode(second), exchange):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _not_written(target: Path, error: OSError) -> FolderNotWritten:
    return FolderNotWritten(f"{target} can't be written: {error.strerror or error}.")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def encode(value: Any) -> str:
    return _encoder.encode(value)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_bytes(f"{text}\n".encode())


class OutputFiles:
    """The files of an export, each with its entry for the manifest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries: dict[str, dict[str, Any]] = {}
        self._data: set[str] = set()

    def entries(self) -> list[dict[str, Any]]:
        return [entry for _, entry in sorted(self._entries.items())]

    def data_entries(self) -> list[dict[str, Any]]:
        """Return the entries of the files that hold records."""
        return [entry for entry in self.entries() if entry["path"] in self._data]

    def write_records(self, path: str, rows: Sequence[Any], tokens: int = 0) -> None:
        """Write each record as a line of JSON, or all as one JSON array if the path is *.json."""
        lines = list(map(encode, rows))
        if path.endswith(".json"):
            self.write_text(path, "\n".join(["[", *([",\n".join(lines)] if lines else []), "]\n"]))
        else:
            self.write_text(path, "".join([f"{line}\n" for line in lines]))
        self.note_records(path, len(lines), tokens)

    def note_records(self, path: str, records: int, tokens: int) -> None:
        self._data.add(path)
        self._entries[path] |= {"records": records, "tokens": tokens}

    def write_text(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode("utf-8", "surrogatepass")
        file.write_bytes(data)
        self.add(path, data, data.count(b"\n"))

    def add(self, path: str, data: bytes, lines: int | None = None) -> None:
        """Add the entry of a written file. `lines`: None for a binary file."""
        digest = hashlib.sha256(data).hexdigest()
        self._entries[path] = {
            "path": path, "bytes": len(data), "lines": lines, "records": 0, "tokens": 0,
            "sha256": digest,
        }  # fmt: skip
