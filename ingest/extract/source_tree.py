"""Interface of a repository at one commit, for extraction: paths and bytes.

The git mirror, an unpacked wheel and a test's dictionary implement it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol


class SourceTree(Protocol):
    """Tree of files. Paths are relative, with forward slashes. `read` returns None if it fails."""

    def paths(self) -> Iterable[str]: ...

    def read(self, path: str) -> bytes | None: ...


class MemoryTree:
    """Tree in a dictionary, for tests and for one file given as bytes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)

    def paths(self) -> Iterable[str]:
        return sorted(self._files)

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)
