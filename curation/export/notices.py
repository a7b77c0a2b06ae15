"""NOTICE and licenses/: the copyright lines and license texts that licenses require.

A notice is written once for all records that share it; a record's metadata contains its key.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curation.evidence.notices import standard_texts, texts_named
from curation.evidence.places import KernelPlace, LicenseTerms
from curation.evidence.sources import ExportSource
from curation.export.folder import LineFile, encode
from curation.text import pluralize

NO_TERMS = LicenseTerms((), ())


# One object for each notice, compared by identity: an export looks it up a million times.
@dataclass(frozen=True, slots=True, eq=False)
class SharedNotice:
    """A notice shared by all records of one work under one license."""

    key: str
    repository: str
    expression: str
    terms: LicenseTerms

    @property
    def copyright(self) -> str:
        return "\n".join(self.terms.copyrights)


@dataclass(slots=True)
class Notices:
    """Registry of the notices of the records."""

    sources: Mapping[int, ExportSource]
    given: dict[tuple[str, str, LicenseTerms], SharedNotice] = field(default_factory=dict)
    records: Counter[str] = field(default_factory=Counter)

    def of_kernel(self, place: KernelPlace | None, expression: str | None) -> SharedNotice:
        """Return the notice of a kernel's place, or of `expression` if it has none."""
        if place is None or not place.gives:
            return self.of_work("", expression or "", NO_TERMS)
        return self.of_work(self.sources[place.source].name, place.expression or "", place.terms)

    def of_pair(self, expression: str | None, copyright: str) -> SharedNotice:
        """Return the notice of a pair that was not drafted from a kernel."""
        copyrights = (copyright,) if copyright else ()
        return self.of_work("", expression or "", LicenseTerms(copyrights, ()))

    def of_work(self, repository: str, expression: str, terms: LicenseTerms) -> SharedNotice:
        """Return the notice of a work under these terms."""
        notice = self.given.get((repository, expression, terms))
        if notice is None:
            identity = encode([repository, expression, terms.copyrights, terms.texts])
            key = hashlib.sha256(identity.encode()).hexdigest()[:12]
            notice = self.given[repository, expression, terms] = SharedNotice(
                key, repository, expression, terms
            )
        return notice

    def count(self, key: str, times: int = 1) -> None:
        self.records[key] += times

    def write(self, folder: Path, thing: str = "record") -> list[LineFile]:
        """Write NOTICE, and next to it the text of each license."""
        used = [shared for shared in self.given.values() if self.records[shared.key]]
        used.sort(key=lambda shared: (shared.repository, shared.expression, shared.key))
        texts = _Texts(folder, used)
        with LineFile(folder / "NOTICE") as file:
            file.text(HEADS[thing])
            for shared in used:
                file.text(
                    _entry(
                        shared,
                        pluralize(self.records[shared.key], thing),
                        texts.names(shared),
                    )
                )
        return [file, *texts.files.values()]


class _Texts:
    """License texts as files, one for each content."""

    def __init__(self, folder: Path, used: Sequence[SharedNotice]) -> None:
        self.files: dict[str, LineFile] = {}
        self._folder = folder
        self._own = texts_named({sha for shared in used for _, sha in shared.terms.texts})
        self._standard = standard_texts({shared.expression for shared in used})

    def names(self, shared: SharedNotice) -> list[str]:
        texts = [self._own[sha] for _, sha in shared.terms.texts if sha in self._own]
        if not texts and shared.expression in self._standard:
            texts = [self._standard[shared.expression]]
        return [self._written(shared.expression, text) for text in texts]

    def _written(self, expression: str, text: str) -> str:
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", expression).strip("-")[:60]
        name = f"licenses/{readable}-{digest}.txt"
        if name not in self.files:
            with LineFile(self._folder / name) as file:
                file.text(text.rstrip("\n"))
            self.files[name] = file
        return name


HEADS = {
    "record": """\
The records of this dataset were taken from the works below, each under its own license. The
metadata of a record names its notice by the key in brackets here.
""",
    "file": """\
The files in these folders were taken from the works below, each under its own license. For each
file MANIFEST.json names its notice by the key in brackets here.
""",
}


def _entry(shared: SharedNotice, records: str, texts: Sequence[str]) -> str:
    lines = [
        f"[{shared.key}] {shared.repository or 'Made for this dataset'}",
        f"    License: {shared.expression}",
        *(f"    {line}" for said in shared.terms.copyrights for line in said.splitlines()),
        *(f"    Text: {name}" for name in texts),
        f"    {records}",
        "",
    ]
    return "\n".join(lines)
