"""License files of a repository, and the lookup of those that apply to a path."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ingest.extract.source_tree import SourceTree
from ingest.licenses.license_files import LicenseFile, Role, folder_of, role_of
from ingest.licenses.reader import LicenseReader, decoded
from ingest.licenses.reuse import (
    SIDE_FILE,
    Annotation,
    annotations,
    is_license_text,
    is_reuse_file,
)

# Maximum license files of a tree. If a tree vendors packages, each of them has a license file.
MOST_LICENSE_FILES = 2_000


@dataclass(frozen=True)
class TreeLicenses:
    """License texts of a repository, which apply to the repository's other files."""

    files: tuple[LicenseFile, ...] = ()
    texts: tuple[LicenseFile, ...] = ()  # from the LICENSES folder
    side_files: tuple[LicenseFile, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    remarks: tuple[str, ...] = ()

    @cached_property
    def _by_folder(self) -> Mapping[str, list[LicenseFile]]:
        by_folder = defaultdict(list)
        for file in self.files:
            by_folder[file.folder].append(file)
        return by_folder

    def governing(self, path: str) -> Iterator[tuple[LicenseFile, ...]]:
        """Yield the license files of each folder above a path, nearest folder first."""
        for folder in folders_above(path):
            found = self.of_role(folder, Role.TERMS)
            if found:
                yield found

    def of_role(self, folder: str, role: Role) -> tuple[LicenseFile, ...]:
        """Return the license files of a folder that have one role."""
        return tuple(f for f in self._by_folder.get(folder, ()) if f.role is role)


def read_tree(tree: SourceTree, reader: LicenseReader) -> TreeLicenses:
    """Read each license file of a repository once."""
    files: list[LicenseFile] = []
    texts: list[LicenseFile] = []
    side_files: list[LicenseFile] = []
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
        if len(files) + len(texts) + len(side_files) == MOST_LICENSE_FILES:
            remarks = (f"Only the first {MOST_LICENSE_FILES} license files were read.",)
            break
        data = tree.read(path)
        if data is None:
            # An unreadable file may state anything, so it counts as unknown.
            data = b"[content not available]"
        if reuse:
            notes.extend(annotations(path, decoded(data)))
        elif role is not None:
            found = reader.read_license(path, role, data)
            file = LicenseFile(path, role, found, decoded(data)[:200_000])
            (side_files if side else texts if in_licenses else files).append(file)
    return TreeLicenses(tuple(files), tuple(texts), tuple(side_files), tuple(notes), remarks)


def folders_above(path: str) -> Iterator[str]:
    """Yield the folder of a path and all folders above it, up to the root, which is ""."""
    folder = folder_of(path)
    while True:
        yield folder
        if not folder:
            return
        folder = folder_of(folder)
