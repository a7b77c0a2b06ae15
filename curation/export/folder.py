"""Files of an export: the folder and its text files.

The folder exists completely or not at all. A text file records its own entry of the manifest.
"""

import ctypes
import errno
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

import orjson

from curation.errors import CurationError

MANIFEST = "MANIFEST.json"
# Part of the name of an unfinished folder, so that leftovers of a killed export are known.
UNFINISHED = "unfinished-"
# Number of characters of a file that are held back, so that it is hashed in large parts.
FLUSH = 1 << 20


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
        listed = listed_paths(json.loads((folder / MANIFEST).read_text())) | {MANIFEST}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    return present <= listed


def listed_paths(manifest: Any) -> set[str]:
    """Return the paths in a manifest. Those of plain folders list files by category."""
    entries = list(manifest["files"])
    for category in manifest.get("categories", {}).values():
        entries += category.get("files", ())
    return {entry["path"] for entry in entries}


def check_target(target: Path) -> None:
    """Refuse early a target that would be refused after all the work."""
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


# A negative exponent, as in 1e-7. The pattern begins with literals, for which `re` is fast.
_EXPONENT = re.compile(rb"e-(?<=[0-9]e-)[0-9]")
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def encode(value: Any) -> str:
    """Encode a value as `json` does, whose bytes releases depend on.

    orjson takes 1.2 us for a record, `json` 10 us (2026-11-26). But it spells small floats
    differently (1e-7 instead of 1e-07), and refuses halves of surrogate pairs.
    """
    try:
        data = orjson.dumps(value)
    except TypeError:
        return _encoder.encode(value)
    if b"0.0000" in data or _EXPONENT.search(data):
        return _encoder.encode(value)
    return data.decode()


def decode(line: str) -> dict[str, Any]:
    """Decode an object. orjson takes 3 us for a record, `json` 8 us (2026-11-26)."""
    try:
        document: dict[str, Any] = orjson.loads(line)
    except ValueError:
        document = json.loads(line)
    return document


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_bytes(f"{text}\n".encode())


@dataclass(slots=True)
class LineFile:
    """UTF-8 file of lines, hashed while it is written, so that it need not be read again."""

    path: Path
    records: int = 0
    tokens: int = 0
    _pending: list[str] = field(default_factory=list)
    _held: int = 0
    _bytes: int = 0
    _lines: int = 0
    _digest: Any = field(default_factory=hashlib.sha256)
    _file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("wb")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            try:
                self._flush()
            finally:
                self._file.close()
                self._file = None

    def write(self, lines: Sequence[str], tokens: int = 0) -> None:
        """Write lines that are records, with their total of tokens."""
        self.records += len(lines)
        self.tokens += tokens
        self._hold(lines)

    def text(self, line: str) -> None:
        """Write a line that is no record."""
        self._hold((line,))

    def _hold(self, lines: Sequence[str]) -> None:
        self._pending += lines
        self._held += sum(map(len, lines))
        if self._held > FLUSH:
            self._flush()

    def _flush(self) -> None:
        if not self._pending:
            return
        data = ("\n".join(self._pending) + "\n").encode("utf-8", "surrogatepass")
        self._pending.clear()
        self._held = 0
        self._bytes += len(data)
        self._lines += data.count(b"\n")
        self._digest.update(data)
        assert self._file is not None, "written within its `with`"  # noqa: S101
        self._file.write(data)

    def as_json(self, folder: Path) -> dict[str, Any]:
        return {
            "path": self.path.relative_to(folder).as_posix(),
            "bytes": self._bytes,
            "lines": self._lines,
            "records": self.records,
            "tokens": self.tokens,
            "sha256": self._digest.hexdigest(),
        }
