"""Reader of trees and blobs from a git object store, without a work tree.

Git reads the store through an empty git directory of this app. So no setting of the repository
applies: git fetches no missing object and runs no code.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ingest.git.command import Git
from ingest.git.errors import FetchFailed, SourceError
from ingest.git.failure import disk_failure, failure
from ingest.git.limits import Bounds, Deadline, Limits
from ingest.git.snapshot import Absent, Blob, Entry, OpenTree, Problem, content
from ingest.git.source import Source

# Maximum requests that wait for answers. They fit into a pipe's 64 kB, so writing never blocks.
_IN_FLIGHT = 800
_BYTES_AT_ONCE = 16_000_000
_STOPPED = "Git stopped while files were read from the object store; fetch the source again."
_SYMLINK, _SUBMODULE = b"120000", b"160000"


@dataclass(frozen=True, slots=True)
class GitObjects:
    """Content of a snapshot in a git object store."""

    reader: Path
    objects: Path
    bounds: Bounds = field(default=Bounds())

    def git(self, deadline: Deadline) -> Git:
        return Git(self.reader, deadline, objects=self.objects, bounds=self.bounds)

    @contextmanager
    def open(self, entries: tuple[Entry, ...]) -> Iterator[OpenTree]:
        with self.git(Deadline.after(0)).converse("cat-file", "--batch") as (asking, answers):
            yield _OpenObjects({entry.path: entry for entry in entries}, asking, answers)


def list_tree(
    git: Git, commit: str, selected: Callable[[str], bool], limits: Limits
) -> tuple[Entry, ...]:
    """Return an entry for every selected path at a commit. The sizes are not set yet."""
    listing = git.run("ls-tree", "-r", "-z", "--full-tree", commit)
    if listing.code != 0:
        raise FetchFailed(f"The tree of commit {commit} can't be read; fetch it again.")
    entries: list[Entry] = []
    for line in listing.output.split(b"\0"):
        if not line:
            continue
        about, _, name = line.partition(b"\t")
        mode, _kind, blob = about.split(b" ")
        path = name.decode("utf-8", "backslashreplace")
        if not selected(path):
            continue
        entries.append(Entry(path, blob.decode(), None, _problem(mode, name)))
        if len(entries) > limits.files:
            raise SourceError(
                f"More than {limits.files} files are wanted; narrow the sparse paths or globs."
            )
    return tuple(entries)


def measured(git: Git, entries: Sequence[Entry], limits: Limits) -> tuple[Entry, ...]:
    """Return the entries with their sizes. An absent or too large file gets a problem instead."""
    sizes = sizes_of(git, {entry.blob for entry in entries if entry.problem is None})

    def with_size(entry: Entry) -> Entry:
        if entry.problem is not None:
            return entry
        size = sizes[entry.blob]
        if size is None:
            return Entry(entry.path, entry.blob, None, Problem.ABSENT)
        return Entry(
            entry.path, entry.blob, size, Problem.TOO_LARGE if size > limits.blob_bytes else None
        )

    return tuple(with_size(entry) for entry in entries)


def sizes_of(git: Git, blobs: Iterable[str]) -> dict[str, int | None]:
    """Return the size of each blob, or None for a blob that the store lacks. Reads no content."""
    names = list(blobs)
    if not names:
        return {}
    feed = "".join(f"{blob}\n" for blob in names).encode()
    answer = git.run("cat-file", "--batch-check", "--buffer", feed=feed)
    lines = answer.output.decode().splitlines()
    if answer.code != 0 or len(lines) != len(names):
        raise FetchFailed("The object store is damaged: git can't tell what it contains.")
    sizes: dict[str, int | None] = {}
    for blob, line in zip(names, lines, strict=True):
        words = line.split(" ")
        sizes[blob] = int(words[2]) if len(words) == 3 and words[1] == "blob" else None
    return sizes


def _problem(mode: bytes, name: bytes) -> Problem | None:
    if mode == _SUBMODULE:
        return Problem.SUBMODULE
    if mode == _SYMLINK:
        return Problem.SYMLINK
    # A crafted tree may hold any name. Its paths are never checked out here, but passed on.
    if name.startswith(b"/") or any(
        part in (b"", b".", b"..", b".git") for part in name.split(b"/")
    ):
        return Problem.UNSAFE_PATH
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return Problem.NAME_NOT_UTF8
    return None


def reader(mirrors: Path, source: Source, deadline: Deadline, object_format: str) -> Path:
    """Return the empty git directory for `object_format` (sha1, sha256). Create it if missing."""
    folder = mirrors / f".reader-{object_format}"
    if not folder.is_dir():
        try:
            mirrors.mkdir(parents=True, exist_ok=True)
            _make(folder, source, deadline, object_format)
        except OSError as error:
            raise disk_failure(error, str(source)) from error
    return folder


def _make(folder: Path, source: Source, deadline: Deadline, object_format: str) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        finished = Git(temporary, deadline).run(
            "init", "--quiet", "--bare", "--template=", f"--object-format={object_format}"
        )
        if finished.code != 0:
            raise failure(finished, str(source))
        try:
            os.rename(temporary, folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process has just created it
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


class _OpenObjects:
    """One `git cat-file --batch` process, which is queried by blob id."""

    __slots__ = ("_answers", "_asking", "_entries")

    def __init__(self, entries: dict[str, Entry], asking: IO[bytes], answers: IO[bytes]) -> None:
        self._entries = entries
        self._asking = asking
        self._answers = answers

    def paths(self) -> Iterable[str]:
        return [path for path, entry in self._entries.items() if entry.problem is None]

    def read(self, path: str) -> bytes | None:
        result = next(iter(self.read_all([path])))
        return result.data if isinstance(result, Blob) else None

    def read_all(self, paths: Iterable[str]) -> Iterator[Blob | Absent]:
        for chunk in self._chunks(paths):
            readable = [e.blob for _, e in chunk if e is not None and e.problem is None]
            # Read all answers before the first is yielded. If the caller stopped half-way, unread
            # answers would be taken for the answers to the next question.
            answers = iter(self._ask(readable))
            for path, entry in chunk:
                if entry is None:
                    yield Absent(path, Problem.UNKNOWN)
                elif entry.problem is not None:
                    yield Absent(path, entry.problem)
                else:
                    data = next(answers)
                    yield Absent(path, Problem.ABSENT) if data is None else content(entry, data)

    def _chunks(self, paths: Iterable[str]) -> Iterator[list[tuple[str, Entry | None]]]:
        chunk: list[tuple[str, Entry | None]] = []
        size = 0
        for path in paths:
            entry = self._entries.get(path)
            chunk.append((path, entry))
            size += (entry.size or 0) if entry is not None and entry.problem is None else 0
            if len(chunk) == _IN_FLIGHT or size > _BYTES_AT_ONCE:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk

    def _ask(self, blobs: list[str]) -> list[bytes | None]:
        try:
            self._asking.write("".join(f"{blob}\n" for blob in blobs).encode())
            self._asking.flush()
        except BrokenPipeError:
            raise FetchFailed(_STOPPED) from None
        return [self._answer() for _ in blobs]

    def _answer(self) -> bytes | None:
        words = self._answers.readline().split(b" ")
        if len(words) != 3:
            if words[-1:] == [b"missing\n"]:
                return None
            raise FetchFailed(_STOPPED)
        size = int(words[2])
        data = self._answers.read(size + 1)
        if len(data) != size + 1:
            raise FetchFailed(_STOPPED)
        return data[:-1]
