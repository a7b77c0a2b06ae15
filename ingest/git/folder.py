"""Snapshot of a folder without git. Links are not followed, so no file outside is opened."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ingest.git.errors import SourceError, SourceUnavailable
from ingest.git.limits import Deadline, Limits
from ingest.git.snapshot import Absent, Blob, Entry, OpenTree, Problem, Snapshot, content
from ingest.git.source import Source

_PASSED_OVER = {".git", "__pycache__"}
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe in the folder would block.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Content of the snapshot of a folder without git."""

    root: Path

    @contextmanager
    def open(self, entries: tuple[Entry, ...]) -> Iterator[OpenTree]:
        yield _OpenFolder(self.root, {entry.path: entry for entry in entries})


def folder_snapshot(
    source: Source, selected: Callable[[str], bool], limits: Limits, deadline: Deadline
) -> Snapshot:
    """Return the selected files of a folder. Its "commit" is a hash of their paths and contents."""
    root = Path(source.location)
    entries: list[Entry] = []
    identity = hashlib.sha1(usedforsecurity=False)
    has_files = False
    for count, (path, is_link) in enumerate(_walk(root), start=1):
        has_files = True
        if count > limits.files:
            raise SourceError(f"{source} holds more than {limits.files} files.")
        if deadline.passed():
            raise SourceUnavailable(f"{source} was not read within {deadline.seconds:g} seconds.")
        if not selected(_printable(path)):
            continue
        entry = _entry(root, path, is_link, limits)
        entries.append(entry)
        identity.update(f"{entry.path}\0{entry.blob}\0{entry.size}\0{entry.problem}\n".encode())
    if not has_files:
        raise SourceError(f"{source} holds no files.")
    return Snapshot(source, identity.hexdigest(), "", tuple(entries), FolderFiles(root))


def _walk(root: Path) -> Iterator[tuple[str, bool]]:
    """Yield the relative path of each file and whether it is a link, ordered by name."""
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(root / folder) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError as error:
            if not folder:
                reason = error.strerror or "unreadable"
                raise SourceError(f"{root} can't be read: {reason}.") from None
            continue
        folders: list[str] = []
        for item in items:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_symlink():
                yield path, True
            elif not item.is_dir(follow_symlinks=False):
                yield path, False
            elif item.name not in _PASSED_OVER:
                folders.append(path)
        pending.extend(reversed(folders))


def _entry(root: Path, path: str, is_link: bool, limits: Limits) -> Entry:
    printable = _printable(path)
    if is_link:
        return Entry(printable, "", None, Problem.SYMLINK)
    if printable != path:
        return Entry(printable, "", None, Problem.NAME_NOT_UTF8)
    data = _read(root, path, limits.blob_bytes)
    if isinstance(data, int):
        return Entry(path, "", data, Problem.TOO_LARGE)
    if data is None:
        return Entry(path, "", None, Problem.UNREADABLE)
    return Entry(path, blob_id(data), len(data))


def blob_id(data: bytes) -> str:
    """Return git's blob id of this content. So a file has the same id in a folder and in git."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _read(root: Path, path: str, limit: int) -> bytes | int | None:
    """Return the file's bytes, or its size if it is above the limit, or None if it can't be read.

    Attack: a folder is replaced by a link after it was listed. Defense: every folder of the path is
    opened without following links.
    """
    handle = -1
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        *folders, name = path.split("/")
        for flags, step in [(_FOLDER_FLAGS, folder) for folder in folders] + [(_FILE_FLAGS, name)]:
            inner = os.open(step, flags, dir_fd=handle)
            os.close(handle)
            handle = inner
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            return None
        if about.st_size > limit:
            return about.st_size
        with os.fdopen(os.dup(handle), "rb") as file:
            data = file.read(limit + 1)
        return data if len(data) <= limit else len(data)
    except OSError:
        return None
    finally:
        if handle != -1:
            os.close(handle)


def _printable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


class _OpenFolder:
    """Files of a folder by path. Each content is checked against its blob id in the snapshot."""

    __slots__ = ("_entries", "_root")

    def __init__(self, root: Path, entries: dict[str, Entry]) -> None:
        self._root = root
        self._entries = entries

    def paths(self) -> Iterable[str]:
        return [path for path, entry in self._entries.items() if entry.problem is None]

    def read(self, path: str) -> bytes | None:
        result = self._one(path)
        return result.data if isinstance(result, Blob) else None

    def read_all(self, paths: Iterable[str]) -> Iterator[Blob | Absent]:
        return (self._one(path) for path in paths)

    def _one(self, path: str) -> Blob | Absent:
        entry = self._entries.get(path)
        if entry is None:
            return Absent(path, Problem.UNKNOWN)
        if entry.problem is not None:
            return Absent(path, entry.problem)
        data = _read(self._root, path, entry.size or 0)
        if not isinstance(data, bytes) or blob_id(data) != entry.blob:
            return Absent(path, Problem.CHANGED)
        return content(entry, data)
