"""Unique paths of files in plain folders: `category/its/own/path.py`. Pure.

Paths are also unique on file systems that ignore case or normalize Unicode. Files with unsafe names
get no path.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

# Maximum bytes of a path; file systems limit a name to 255, and suffixes are added.
LONGEST_PATH = 1000
LONGEST_NAME = 240

Names = tuple[str, ...]


class PathRequest(NamedTuple):
    """A file of a repository, with a name to show and a unique one."""

    category: str
    repository: str
    alone: str
    path: str


def placed(files: Iterable[PathRequest]) -> dict[PathRequest, str]:
    """Return a path for each file that can have one.

    If repositories share a category, the files of each are below its name.
    """
    ordered = sorted(set(files))
    beneath = _folders({(file.category, file.repository, file.alone) for file in ordered})
    taken = _Taken()
    return {
        file: taken.place((file.category, *beneath[file.category, file.alone], *names))
        for file in ordered
        if (names := safe_names(file.path))
    }


def safe_names(path: str) -> Names:
    """Split a path into names; empty if it would escape its folder or has an unsafe name."""
    names = tuple(path.split("/"))
    if len(path.encode("utf-8", "surrogatepass")) > LONGEST_PATH or not all(map(_safe, names)):
        return ()
    return names


def _safe(name: str) -> bool:
    encoded = name.encode("utf-8", "surrogatepass")
    return (
        name not in {"", ".", ".."}
        # Attack: a folder named .git would be a repository with hooks that run.
        and name.casefold() != ".git"
        and "\\" not in name
        and name.isprintable()
        and len(encoded) <= LONGEST_NAME
    )


def _folders(repositories: set[tuple[str, str, str]]) -> dict[tuple[str, str], Names]:
    """Return the folder of each repository in its category."""
    sharing: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for category, name, alone in sorted(repositories):
        sharing[category].append((name, alone))
    folders: dict[tuple[str, str], Names] = {}
    for category, members in sharing.items():
        used: set[str] = set()
        for name, alone in members:
            *above, last = map(_readable, name.split("/"))
            last = _free(above, last, used)
            used.add(_key(above, last))
            folders[category, alone] = (*above, last) if len(members) > 1 else ()
    return folders


def _readable(name: str) -> str:
    """Make a part of a repository's name safe: an admin may have written any text."""
    cleaned = re.sub(r"[^\w.+-]", "_", name)[:60]
    return cleaned if _safe(cleaned) else f"_{cleaned.strip('.')}"


@dataclass(slots=True)
class _Taken:
    """Registry of the assigned paths."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def place(self, names: Names) -> str:
        above: list[str] = []
        for name in names[:-1]:
            # A folder may be used by many files, but must not be a file.
            above.append(_free(above, name, self.files))
            self.folders.add(_key(above))
        last = _free(above, names[-1], self.files, self.folders)
        self.files.add(_key(above, last))
        return "/".join((*above, last))


def _free(above: Sequence[str], name: str, *taken: Container[str]) -> str:
    """Return the name, or the first of name~2, name~3, … that is free."""
    path, number, candidate = PurePosixPath(name), 1, name
    while any(_key(above, candidate) in names for names in taken):
        number += 1
        candidate = f"{path.stem}~{number}{path.suffix}"
    return candidate


def _key(above: Sequence[str], *name: str) -> str:
    """Fold a path as the least strict file system does."""
    folded = "/".join(part.rstrip(" .") for part in (*above, *name)).casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", folded).casefold())
