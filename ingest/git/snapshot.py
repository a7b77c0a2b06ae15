"""A tree of files at one commit, as values: its entries, and the content or problem of each."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ingest.git.source import Source

LFS_START = b"version https://git-lfs.github.com/spec/"


class Problem(StrEnum):
    """Reason why a path has no content, in words."""

    SYMLINK = "symbolic link, not followed"
    SUBMODULE = "submodule, fetched only when it is listed"
    NAME_NOT_UTF8 = "file name is not UTF-8"
    UNSAFE_PATH = "path leaves the repository"
    TOO_LARGE = "file is larger than the limit"
    ABSENT = "content is not in the repository's object store"
    LFS = "Git LFS pointer, the content is kept elsewhere"
    UNREADABLE = "file can't be read"
    CHANGED = "file changed while it was being read"
    UNKNOWN = "no such path in this snapshot"


@dataclass(frozen=True, slots=True)
class Entry:
    """One selected path. `blob` is git's id of its content, or of the commit of a submodule."""

    path: str
    blob: str
    size: int | None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Blob:
    """A file's exact bytes."""

    path: str
    blob: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Absent:
    """A path without content, and the reason for that."""

    path: str
    problem: Problem


class OpenTree(Protocol):
    """Files by path, while the snapshot is open. It serves as the extraction's source tree."""

    def paths(self) -> Iterable[str]: ...

    def read(self, path: str) -> bytes | None: ...

    def read_all(self, paths: Iterable[str]) -> Iterator[Blob | Absent]: ...


class Store(Protocol):
    """Source of a snapshot's content: git's object store, or a folder without git."""

    def open(self, entries: tuple[Entry, ...]) -> AbstractContextManager[OpenTree]: ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The selected files of a source at one commit.

    `ref` is the full name of the branch or tag. It is empty for a folder without git, whose
    `commit` is a hash of the selected files.
    """

    source: Source
    commit: str
    ref: str
    entries: tuple[Entry, ...]
    store: Store

    def open(self) -> AbstractContextManager[OpenTree]:
        """Open the files. Then many of them can be read through one process."""
        return self.store.open(self.entries)

    def read(self, paths: Iterable[str] | None = None) -> Iterator[Blob | Absent]:
        """Yield the content of the given paths (default: every entry), in the given order."""
        if paths is None:
            paths = [entry.path for entry in self.entries]
        with self.open() as tree:
            yield from tree.read_all(paths)


def content(entry: Entry, data: bytes) -> Blob | Absent:
    """Return an entry's content. An LFS pointer counts as a file without content."""
    if data.startswith(LFS_START):
        return Absent(entry.path, Problem.LFS)
    return Blob(entry.path, entry.blob, data)
