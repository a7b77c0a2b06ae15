"""The file NOTICE and the folder licenses/: copyright lines and texts that licenses require.

A notice is written once for all records that share it. Their metadata contains its key.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from curation.evidence.places import KernelPlace, LicenseTerms
from curation.evidence.sources import ExportSource
from curation.export.folder import OutputFiles, encode
from curation.models import License, SourceText
from curation.text import pluralize

NO_TERMS = LicenseTerms((), ())


class SharedNotice(NamedTuple):
    """A notice that is the same for all records of one work under one license."""

    key: str
    repository: str
    expression: str
    terms: LicenseTerms

    @property
    def copyright(self) -> str:
        return "\n".join(self.terms.copyrights)


@dataclass(slots=True)
class Notices:
    """Registry of notices. Records refer to a notice by its key."""

    sources: Mapping[int, ExportSource]
    given: dict[str, SharedNotice] = field(default_factory=dict)

    def of_kernel(self, place: KernelPlace | None, expression: str | None) -> SharedNotice:
        """Return the notice of a kernel's place, or of the license alone if the place is barred."""
        if place is None or not place.gives:
            return self.of_work("", expression or "", NO_TERMS)
        return self.of_work(self.sources[place.source].name, place.expression or "", place.terms)

    def of_pair(self, expression: str | None, copyright: str) -> SharedNotice:
        """Return the notice of a pair that was not drafted from a kernel."""
        copyrights = (copyright,) if copyright else ()
        return self.of_work("", expression or "", LicenseTerms(copyrights, ()))

    def of_work(self, repository: str, expression: str, terms: LicenseTerms) -> SharedNotice:
        """Return the notice of a work under these terms."""
        identity = encode([repository, expression, terms.copyrights, terms.texts])
        key = hashlib.sha256(identity.encode()).hexdigest()[:12]
        return self.given.setdefault(key, SharedNotice(key, repository, expression, terms))

    def write(self, files: OutputFiles, keys: Iterable[str], thing: str = "record") -> None:
        """Write the file NOTICE, and the text of each license next to it.

        keys: for each record, the key of its notice.
        """
        counts = Counter(keys)
        used = [shared for shared in self.given.values() if counts[shared.key]]
        used.sort(key=lambda shared: (shared.repository, shared.expression, shared.key))
        stored = texts_named({sha for shared in used for _, sha in shared.terms.texts})
        # For works without a stored license text.
        licenses = License.objects.filter(expression__among={each.expression for each in used})
        standard = dict(licenses.exclude(text="").values_list("expression", "text"))
        lines = [HEADS[thing]]
        for shared in used:
            texts = [stored[sha] for _, sha in shared.terms.texts if sha in stored]
            if not texts and shared.expression in standard:
                texts = [standard[shared.expression]]
            names = {_file_name(shared.expression, text): text for text in texts}
            for name, text in names.items():
                files.write_text(name, text.rstrip("\n") + "\n")
            lines.append(_entry(shared, pluralize(counts[shared.key], thing), names))
        files.write_text("NOTICE", "\n".join(lines) + "\n")


def texts_named(names: Collection[str]) -> dict[str, str]:
    """Return the stored texts by their sha256."""
    return dict(SourceText.objects.filter(sha256__among=names).values_list("sha256", "text"))


def _file_name(expression: str, text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", expression).strip("-")[:60]
    return f"licenses/{readable}-{digest}.txt"


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


def _entry(shared: SharedNotice, records: str, texts: Iterable[str]) -> str:
    lines = [
        f"[{shared.key}] {shared.repository or 'Made for this dataset'}",
        f"    License: {shared.expression}",
        *(f"    {line}" for line in shared.copyright.splitlines()),
        *(f"    Text: {name}" for name in texts),
        f"    {records}",
        "",
    ]
    return "\n".join(lines)
