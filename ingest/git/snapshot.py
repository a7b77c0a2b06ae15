"""A tree of files at one commit, as values: what there is, and what each file says or why not."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ingest.git.source import Source

LFS_START = b"version https://git-lfs.github.com/spec/"


class Problem(StrEnum):
    """Why a path has no content for us, in words."""

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
    """One wanted path. `blob` is git's id of its content (of its commit, for a submodule)."""

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
    """A path whose content can't be had, and why."""

    path: str
    problem: Problem


class OpenTree(Protocol):
    """Files by path, while the snapshot is open; it serves as the extraction's source tree."""

    def paths(self) -> Iterable[str]: ...

    def read(self, path: str) -> bytes | None: ...

    def read_all(self, paths: Iterable[str]) -> Iterator[Blob | Absent]: ...


class Store(Protocol):
    """Where a snapshot's content lies: git's object store, or a plain folder."""

    def open(self, entries: tuple[Entry, ...]) -> AbstractContextManager[OpenTree]: ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The wanted files of a source at one commit.

    `ref` is the full name of the branch or tag that was asked for or found; a plain folder has
    none, and its `commit` is a hash of the wanted files.
    """

    source: Source
    commit: str
    ref: str
    entries: tuple[Entry, ...]
    store: Store

    def open(self) -> AbstractContextManager[OpenTree]:
        """The files, for reading many of them through one process."""
        return self.store.open(self.entries)

    def read(self, paths: Iterable[str] | None = None) -> Iterator[Blob | Absent]:
        """The content of the given paths (of every entry by default), in the order asked for."""
        if paths is None:
            paths = [entry.path for entry in self.entries]
        with self.open() as tree:
            yield from tree.read_all(paths)


def content(entry: Entry, data: bytes) -> Blob | Absent:
    """What an entry's bytes amount to: an LFS pointer stands for content that is not here."""
    if data.startswith(LFS_START):
        return Absent(entry.path, Problem.LFS)
    return Blob(entry.path, entry.blob, data)
