"""Where each file stands among plain folders: `category/its/own/path.py`, and no two in one place.

Pure. No two in one place also where a file system takes `A.py` for `a.py`, or spells ö in another
way. What can't be written as it is called gets no place.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

# Of a path and of a name in it, in bytes; a file system takes 255 of a name, and we add to some.
LONGEST_PATH = 1000
LONGEST_NAME = 240

Names = tuple[str, ...]


class Wanted(NamedTuple):
    """A file of a repository, which has a name to be shown and one that is its alone."""

    category: str
    repository: str
    alone: str
    path: str


def placed(files: Iterable[Wanted]) -> dict[Wanted, str]:
    """A place for each file that can have one.

    Where two repositories share a category, each one's files stand beneath its name.
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
    """The names that a path consists of; none where it would lead elsewhere, or nowhere."""
    names = tuple(path.split("/"))
    if len(path.encode("utf-8", "surrogatepass")) > LONGEST_PATH or not all(map(_safe, names)):
        return ()
    return names


def _safe(name: str) -> bool:
    encoded = name.encode("utf-8", "surrogatepass")
    return (
        name not in {"", ".", ".."}
        # git's own folder would make a repository of ours, with hooks that run.
        and name.casefold() != ".git"
        and "\\" not in name
        and name.isprintable()
        and len(encoded) <= LONGEST_NAME
    )


def _folders(repositories: set[tuple[str, str, str]]) -> dict[tuple[str, str], Names]:
    """The folder of each repository in its category."""
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
    """A part of a repository's name, which an admin may have written in any way."""
    kept = re.sub(r"[^\w.+-]", "_", name)[:60]
    return kept if _safe(kept) else f"_{kept.strip('.')}"


@dataclass(slots=True)
class _Taken:
    """The places that were given out."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def place(self, names: Names) -> str:
        above: list[str] = []
        for name in names[:-1]:
            # Many may stand in one folder, but none where a file is.
            above.append(_free(above, name, self.files))
            self.folders.add(_key(above))
        last = _free(above, names[-1], self.files, self.folders)
        self.files.add(_key(above, last))
        return "/".join((*above, last))


def _free(above: Sequence[str], name: str, *taken: Container[str]) -> str:
    """The name itself, or the first of name~2, name~3, … that nothing has."""
    path, number, found = PurePosixPath(name), 1, name
    while any(_key(above, found) in names for names in taken):
        number += 1
        found = f"{path.stem}~{number}{path.suffix}"
    return found


def _key(above: Sequence[str], *name: str) -> str:
    """A place as the least attentive of file systems knows it."""
    folded = "/".join(part.rstrip(" .") for part in (*above, *name)).casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", folded).casefold())
