"""A repository at one commit, as extraction sees it: paths and bytes, nothing else.

The git mirror, an unpacked wheel or a test's dictionary each stand behind this one interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol


class SourceTree(Protocol):
    """Paths are relative, with forward slashes, and `read` answers None for what can't be read."""

    def paths(self) -> Iterable[str]: ...

    def read(self, path: str) -> bytes | None: ...


class MemoryTree:
    """A tree held in a dictionary: for one file given as bytes, and for tests."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)

    def paths(self) -> Iterable[str]:
        return sorted(self._files)

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)
