"""License verdicts as rows: the evidence of each file, and the verdict on each kernel."""

from collections.abc import Iterable
from functools import cache

from curation.models import (
    Kernel,
    LicenseEvidence,
    LicenseReading,
    LicenseVerdict,
    Provenance,
    Repository,
    SourceText,
)
from curation.pairs.licenses import license_of
from ingest.confined.detector import ConfinedScancode
from ingest.licenses import Assessment, Evidence, LicenseReader, LicenseText
from ingest.persist.files import Files

# A kernel is blocked if any file that contains it is blocked. Otherwise one permissive file is
# enough, because the kernel is exported from that file.
PRECEDENCE = (
    LicenseVerdict.BLOCKED,
    LicenseVerdict.PERMISSIVE,
    LicenseVerdict.CONFLICT,
    LicenseVerdict.UNKNOWN,
)
BATCH = 200

# Columns of a row that have the same names as the fields of the evidence.
COLUMNS = (
    "verdict", "read_from", "path", "start_line", "end_line", "matched_text", "detector", "counts",
    "remark",
)  # fmt: skip


@cache
def license_reader() -> LicenseReader:
    """Return the license reader of this process. Its detector starts on first use, in seconds."""
    return LicenseReader(ConfinedScancode(), kept_readings())


@cache
def kept_readings() -> "KeptReadings":
    return KeptReadings()


class KeptReadings:
    """Cache of license readings in the database, by content.

    New readings are stored in batches, and `write` stores the last batch. If the process is killed
    before that, the texts of the batch are read again later.
    """

    def __init__(self) -> None:
        self._new: dict[str, str] = {}

    def write(self) -> None:
        LicenseReading.objects.bulk_create(
            (LicenseReading(key=key, findings=value) for key, value in sorted(self._new.items())),
            update_conflicts=True,
            unique_fields=["key"],
            update_fields=["findings"],
        )
        self._new.clear()

    def get(self, key: str) -> str | None:
        if key in self._new:
            return self._new[key]
        return LicenseReading.objects.filter(key=key).values_list("findings", flat=True).first()

    def __setitem__(self, key: str, value: str) -> None:
        self._new[key] = value
        if len(self._new) >= BATCH:
            self.write()


class Licenses:
    """Evidence of one repository's files. A run stores each changed file's evidence once."""

    def __init__(self, repository: Repository, files: Files) -> None:
        self._repository = repository
        self._files = files
        self._written: set[str] = set()
        self._pks: dict[str, int] = {}
        self._texts: set[str] = set()

    def pk_of(self, assessment: Assessment) -> int | None:
        """Return the primary key of the expression's row. The row is created on first use."""
        expression = assessment.expression
        if expression is None:
            return None
        if expression not in self._pks:
            self._pks[expression] = license_of(expression).pk
        return self._pks[expression]

    def store(self, assessments: Iterable[Assessment]) -> None:
        for assessment in assessments:
            # A kernel may import a file that has no row, because the source's globs exclude it.
            if assessment.path not in self._written and self._files.knows(assessment.path):
                self._written.add(assessment.path)
                self._store(assessment)

    def store_texts(self, texts: Iterable[LicenseText]) -> None:
        """Store the license texts that must be exported with kernels, once for each content."""
        for text in texts:
            if text.sha256 not in self._texts:
                SourceText.objects.get_or_create(sha256=text.sha256, defaults={"text": text.text})
                self._texts.add(text.sha256)

    def _store(self, assessment: Assessment) -> None:
        file = self._files.pk_of(assessment.path)
        known = LicenseEvidence.objects.filter(source_file=file)
        fresh = [self._row(file, evidence) for evidence in assessment.evidence]
        compared = ("license_id", "copyright", *COLUMNS)
        if list(known.order_by("pk").values_list(*compared)) != [
            tuple(getattr(row, name) for name in compared) for row in fresh
        ]:
            known.delete()
            LicenseEvidence.objects.bulk_create(fresh)

    def _row(self, file: int, evidence: Evidence) -> LicenseEvidence:
        license_row = license_of(evidence.expression) if evidence.expression else None
        return LicenseEvidence(
            repository=self._repository,
            source_file_id=file,
            license=license_row,
            copyright="\n".join(evidence.copyrights),
            confidence=evidence.confidence,
            **{name: getattr(evidence, name) for name in COLUMNS},
        )


def settle_kernels(repository: Repository) -> None:
    """Set the license of each kernel of a repository, from all its current provenance rows."""
    current = Provenance.objects.filter(source_file__repository=repository, retired_at=None)
    kernels = Kernel.objects.filter(provenances__in=current).distinct()
    best: dict[int, tuple[int, int | None]] = {}
    places = Provenance.objects.filter(kernel__in=kernels, retired_at=None).order_by("pk")
    for kernel, verdict, license_ in places.values_list(
        "kernel_id", "license_verdict", "license_id"
    ):
        rank = PRECEDENCE.index(LicenseVerdict(verdict))
        if kernel not in best or rank < best[kernel][0]:
            best[kernel] = (rank, license_)
    for pk, verdict, license_ in kernels.values_list("pk", "license_verdict", "license_id"):
        rank, license_id = best[pk]
        if (verdict, license_) != (PRECEDENCE[rank], license_id):
            Kernel.objects.filter(pk=pk).update(
                license_verdict=PRECEDENCE[rank], license_id=license_id
            )
