"""Which source files may be given away as they are, and why each of the others stays.

A file that leaves holds a kernel, and in this very place each of its kernels has a licence that
permits it: what another place permits does not count, for it is this file that leaves. Neither
decisions nor twins nor overlaps are asked for: these are sources, not a dataset.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Exists, OuterRef

from curation.evidence.notices import texts_named
from curation.evidence.opt_outs import opted_out
from curation.evidence.places import Terms
from curation.evidence.sources import Source
from curation.evidence.subjects import chunks
from curation.export.evidence import LOCAL_PATH
from curation.export.plain_paths import safe_names
from curation.models import Kernel, Language, LicenseVerdict, Provenance, SourceFile


class Stays(StrEnum):
    """Why a file stays: a word to count by."""

    BENCHMARK = "benchmark"
    OPTED_OUT = "opted-out"
    NO_KERNEL = "no-kernel"
    BLOCKED = "licence-blocked"
    CONFLICT = "licence-conflict"
    UNKNOWN = "licence-unknown"
    NO_TEXT = "no-text"
    LOCAL_PATH = "local-path"
    UNWRITABLE = "unwritable-path"


# The strictest first.
OF_LICENCE = {
    LicenseVerdict.BLOCKED: Stays.BLOCKED,
    LicenseVerdict.CONFLICT: Stays.CONFLICT,
    LicenseVerdict.UNKNOWN: Stays.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A kernel in a file, as far as it matters to the file."""

    verdicts: frozenset[str]  # on this place, on the kernel anywhere, and the policy's of today
    expression: str
    copyrights: Sequence[str]
    texts: Sequence[Sequence[str]]
    opted_out: bool


@dataclass(frozen=True, slots=True)
class PlainFile:
    source: Source
    path: str
    commit: str
    sha256: str
    lines: int
    came: datetime
    kernels: Sequence[Standing]
    why: Stays | None

    @property
    def expression(self) -> str:
        """All that its kernels ask for, together."""
        found = sorted({standing.expression for standing in self.kernels})
        if len(found) == 1:
            return found[0]
        return " AND ".join(f"({said})" if " OR " in said else said for said in found)

    @property
    def terms(self) -> Terms:
        copyrights = (line for standing in self.kernels for line in standing.copyrights)
        texts = ((path, sha) for standing in self.kernels for path, sha in standing.texts)
        return Terms(tuple(dict.fromkeys(copyrights)), tuple(dict.fromkeys(texts)))


def plain_files(sources: Mapping[int, Source]) -> Iterator[PlainFile]:
    """Every file that a source's globs name today."""
    current = SourceFile.objects.filter(retired_at=None).order_by("pk")
    columns = ("repository_id", "path", "commit", "sha256", "lines", "created_at")
    for pks in chunks(current.values_list("pk", flat=True)):
        rows = SourceFile.objects.filter(pk__among=pks).order_by("pk").values_list("pk", *columns)
        standing = _standing(pks)
        texts = texts_named({row[4] for row in rows if row[0] in standing})
        for pk, repository, path, commit, sha256, lines, came in rows:
            source, kernels = sources[repository], standing.get(pk, ())
            why = _why(source, path, kernels, texts.get(sha256))
            yield PlainFile(source, path, commit, sha256, lines, came, kernels, why)


def _why(source: Source, path: str, kernels: Sequence[Standing], text: str | None) -> Stays | None:
    if source.benchmark:
        return Stays.BENCHMARK
    if source.opted_out:
        return Stays.OPTED_OUT
    if not kernels:
        return Stays.NO_KERNEL
    said = frozenset[str]().union(*(standing.verdicts for standing in kernels))
    for verdict, stays in OF_LICENCE.items():
        if verdict in said:
            return stays
    if any(standing.opted_out for standing in kernels):
        return Stays.OPTED_OUT
    if text is None:
        return Stays.NO_TEXT
    if source.local and LOCAL_PATH.search(text):
        return Stays.LOCAL_PATH
    return None if safe_names(path) else Stays.UNWRITABLE


def _standing(files: Sequence[int]) -> dict[int, list[Standing]]:
    """The Triton and Gluon kernels of each of these files."""
    triton = Provenance.objects.exclude(kernel__language=Language.PALLAS)
    rows = triton.filter(source_file__among=files, retired_at=None).annotate(
        wished=Exists(Kernel.objects.filter(opted_out(), pk=OuterRef("kernel_id")))
    )
    columns = (
        "source_file_id", "license_verdict", "license__verdict", "license__expression",
        "kernel__license_verdict", "copyrights", "license_texts", "wished",
    )  # fmt: skip
    found: dict[int, list[Standing]] = defaultdict(list)
    for file, here, policy, expression, anywhere, copyrights, texts, wished in rows.order_by(
        "start_line", "end_line", "qualname", "kernel__content_hash"
    ).values_list(*columns):
        verdicts = {here, policy or LicenseVerdict.UNKNOWN}
        # A blocked copy in any repository blocks a kernel everywhere.
        if anywhere == LicenseVerdict.BLOCKED:
            verdicts.add(anywhere)
        found[file].append(
            Standing(frozenset(verdicts), expression or "", copyrights, texts, wished)
        )
    return dict(found)
