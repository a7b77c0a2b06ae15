"""Reads a folder of this machine: a git repository at its HEAD, or plain files."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import git

from curation.errors import CurationError
from ingest.candidate import Dropped, SourceText

LARGEST_FILE = 2_000_000


class NoSource(CurationError):
    """There is nothing to read at this place."""


def head(folder: Path) -> str:
    """The commit that will be read, or "" for a folder without git."""
    repository = _repository(folder)
    if repository is None:
        return ""
    if not repository.head.is_valid():
        raise NoSource(f"{folder} is a git repository without a commit.")
    return repository.head.commit.hexsha


def read_python_files(folder: Path) -> Iterator[SourceText | Dropped]:
    """Every Python file below `folder`, in the order of their paths."""
    repository = _repository(folder)
    if repository is not None:
        for blob in repository.head.commit.tree.traverse():
            if (
                isinstance(blob, git.Blob)
                and blob.mode != git.Blob.link_mode
                and (path := os.fspath(blob.path)).endswith(".py")
            ):
                yield _text(path, blob.data_stream.read(), blob.hexsha)
        return
    for file in sorted(folder.rglob("*.py")):
        if file.is_file() and not file.is_symlink():
            data = file.read_bytes()
            name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
            yield _text(file.relative_to(folder).as_posix(), data, name)


def _repository(folder: Path) -> git.Repo | None:
    if not folder.is_dir():
        raise NoSource(f"There is no folder {folder}.")
    try:
        return git.Repo(folder)
    except git.InvalidGitRepositoryError:
        return None


def _text(path: str, data: bytes, blob_hash: str) -> SourceText | Dropped:
    if len(data) > LARGEST_FILE:
        return Dropped("read", path, "too-large", f"The file has {len(data):,} bytes.")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return Dropped("read", path, "encoding", f"The file is not UTF-8: {error.reason}.")
    return SourceText(
        path=path,
        blob_hash=blob_hash,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        lines=text.count("\n") + (not text.endswith("\n")),
        text=text,
    )
