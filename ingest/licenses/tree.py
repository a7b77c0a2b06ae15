"""The licence files of a repository, and which of them govern a path."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from ingest.licenses.license_files import LicenceFile, Role, folder_of, role_of
from ingest.licenses.reader import LicenceReader, decoded
from ingest.licenses.reuse import (
    SIDE_FILE,
    Annotation,
    annotations,
    is_license_text,
    is_reuse_file,
)

# A vendored forest of packages brings one licence file each.
MOST_LICENCE_FILES = 2_000


class SourceTree(Protocol):
    """A repository's files by path."""

    def paths(self) -> Iterable[str]: ...

    def read(self, path: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class TreeLicences:
    """Every text of a repository that speaks for more files than itself."""

    files: tuple[LicenceFile, ...] = ()
    texts: tuple[LicenceFile, ...] = ()  # of the LICENSES folder
    side_files: tuple[LicenceFile, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    remarks: tuple[str, ...] = ()
    _by_folder: dict[str, list[LicenceFile]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        by_folder = defaultdict(list)
        for file in self.files:
            by_folder[file.folder].append(file)
        self._by_folder.update(by_folder)

    def governing(self, path: str) -> Iterator[tuple[LicenceFile, ...]]:
        """The licence files above a path, folder by folder, the nearest first."""
        for folder in folders_above(path):
            found = self.of_role(folder, Role.TERMS)
            if found:
                yield found

    def of_role(self, folder: str, role: Role) -> tuple[LicenceFile, ...]:
        """A folder's own files of one role."""
        return tuple(f for f in self._by_folder.get(folder, ()) if f.role is role)


def read_tree(tree: SourceTree, reader: LicenceReader) -> TreeLicences:
    """The licence files of a repository, each read once."""
    files: list[LicenceFile] = []
    texts: list[LicenceFile] = []
    side_files: list[LicenceFile] = []
    notes: list[Annotation] = []
    remarks: tuple[str, ...] = ()
    for path in sorted(tree.paths(), key=lambda path: (path.count("/"), path)):
        reuse = is_reuse_file(path)
        side = path.endswith(SIDE_FILE) and path.rpartition("/")[2] != SIDE_FILE
        in_licenses = is_license_text(path)
        role = Role.TERMS if side or in_licenses else role_of(path)
        if role is Role.README and "/" in path:
            continue
        if not reuse and role is None:
            continue
        if len(files) + len(texts) + len(side_files) == MOST_LICENCE_FILES:
            remarks = (f"Only the first {MOST_LICENCE_FILES} licence files were read.",)
            break
        data = tree.read(path)
        if data is None:
            # A file that can't be read may say anything, so it counts as one that can't be named.
            data = b"[content not available]"
        if reuse:
            notes.extend(annotations(path, decoded(data)))
        elif role is not None:
            found = reader.read_licence(path, role, data)
            file = LicenceFile(path, role, found, decoded(data)[:200_000])
            (side_files if side else texts if in_licenses else files).append(file)
    return TreeLicences(tuple(files), tuple(texts), tuple(side_files), tuple(notes), remarks)


def folders_above(path: str) -> Iterator[str]:
    """The folder of a path, its folder, and so on up to the root ""."""
    folder = folder_of(path)
    while True:
        yield folder
        if not folder:
            return
        folder = folder_of(folder)
