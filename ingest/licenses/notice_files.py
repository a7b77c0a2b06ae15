"""Texts that must be exported with a file: its license files, and the NOTICE files above it."""

import hashlib
from dataclasses import dataclass

from ingest.licenses.license_files import LicenseFile, Role, speaks_of_one_thing
from ingest.licenses.tree import TreeLicenses, folders_above


@dataclass(frozen=True, slots=True)
class LicenseText:
    """Text of a license file, with normalized line ends."""

    path: str
    text: str
    sha256: str


def texts_for(path: str, tree: TreeLicenses) -> tuple[LicenseText, ...]:
    """Return a path's license texts (or else those of the LICENSES folder) and NOTICE files."""
    terms: list[LicenseFile] = []
    for files in tree.governing(path):
        terms.extend(files)
        if not all(speaks_of_one_thing(file.path) for file in files):
            break
    notices = (file for folder in folders_above(path) for file in tree.of_role(folder, Role.NOTICE))
    return tuple(map(_text, (*(terms or tree.texts), *notices)))


def _text(file: LicenseFile) -> LicenseText:
    # The database does not accept null characters in a text.
    text = file.text.replace("\r\n", "\n").replace("\0", "")
    return LicenseText(file.path, text, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())
