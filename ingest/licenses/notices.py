"""The texts that must travel with a file: the licence files that govern it, and NOTICEs above."""

import hashlib
from dataclasses import dataclass

from ingest.licenses.license_files import LicenceFile, Role, speaks_of_one_thing
from ingest.licenses.tree import TreeLicences, folders_above


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence file as it stands in the repository."""

    path: str
    text: str
    sha256: str


def texts_for(path: str, tree: TreeLicences) -> tuple[LicenceText, ...]:
    """The nearest licence files first; those of a REUSE folder where no other governs."""
    terms: list[LicenceFile] = []
    for files in tree.governing(path):
        terms.extend(files)
        if not all(speaks_of_one_thing(file.path) for file in files):
            break
    notices = (file for folder in folders_above(path) for file in tree.of_role(folder, Role.NOTICE))
    return tuple(map(_text, (*(terms or tree.texts), *notices)))


def _text(file: LicenceFile) -> LicenceText:
    # A database holds no null bytes.
    text = file.text.replace("\r\n", "\n").replace("\0", "")
    return LicenceText(file.path, text, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())
