"""Rows of kernels, one for each content, and rows of their provenance."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from django.db.models import Exists, OuterRef

from curation.errors import CurationError
from curation.models import Kernel, Provenance, QualityFinding, Repository
from ingest.candidate import Candidate
from ingest.classify import classification
from ingest.classify.hardware import DEFAULT, hardware_of_path
from ingest.evidence import Evidence
from ingest.licenses import strictest
from ingest.persist.files import Files
from ingest.persist.licenses import Licenses
from ingest.persist.stored_evidence import kind_columns, renew_kernels, store_findings
from ingest.quality import default_profile

# Columns that identify a provenance row. RENEWED: columns that a later ingest may change.
PLACE = ("source_file", "start_line", "end_line", "qualname", "kernel")
RENEWED = (
    "retired_at", "drawn_from", "license", "license_verdict", "license_inherited",
    "license_reason", "copyrights", "license_texts",
)  # fmt: skip


class KernelsVanished(CurationError):
    """Kernels were deleted after their evidence was gathered and before they were written."""

    retry = True


class Kernels:
    """Writer of a repository's kernels. `seen`: primary keys of this run's provenance rows."""

    def __init__(self, repository: Repository, files: Files) -> None:
        self._repository = repository
        self._files = files
        self._licenses = Licenses(repository, files)
        self.seen: set[int] = set()

    def store(self, candidates: Sequence[Candidate], gathered: Mapping[str, Evidence]) -> int:
        """Write a batch, and return the number of kernels that were not in the database before."""
        kernels, new = _kernel_rows(candidates, gathered)
        for item in candidates:
            self._licenses.store(item.licenses)
            self._licenses.store_texts(item.license_texts)
        rows = [self._provenance(item, kernels[item.content_hash]) for item in candidates]
        # Two cells of a notebook may contain the same kernel at the same lines.
        places = {
            (row.source_file_id, row.start_line, row.end_line, row.qualname, row.kernel_id): row
            for row in rows
        }
        Provenance.objects.bulk_create(
            places.values(), update_conflicts=True, unique_fields=PLACE, update_fields=RENEWED
        )
        self.seen.update(row.pk for row in places.values())
        return new

    def _provenance(self, item: Candidate, kernel: int) -> Provenance:
        verdict = strictest(item.licenses)
        return Provenance(
            kernel_id=kernel,
            source_file_id=self._files.pk_of(item.kernel.path),
            qualname=item.kernel.qualname,
            container=item.kernel.container,
            start_line=item.kernel.start_line,
            end_line=item.kernel.end_line,
            cell=item.kernel.cell,
            sha256=item.kernel.sha256,
            drawn_from=list(item.unit.drawn_from),
            license_id=self._licenses.pk_of(verdict),
            license_verdict=verdict.verdict,
            license_inherited=verdict.inherited,
            license_reason=verdict.reason,
            copyrights=list(verdict.copyrights),
            license_texts=[[text.path, text.sha256] for text in item.license_texts],
        )


def wanting(candidates: Sequence[Candidate]) -> dict[str, Candidate]:
    """Return the kernels of a batch that need evidence: new ones, and ones with older rules."""
    by_hash = {item.content_hash: item for item in candidates}
    known_pks = _pks(by_hash)
    today = Kernel.objects.filter(content_hash__among=by_hash, kind_rules=classification.VERSION)
    today = today.exclude(min_triton="")
    outdated = QualityFinding.objects.filter(kernel=OuterRef("pk")).exclude(
        rules=default_profile().version
    )
    current = today.exclude(Exists(outdated)).values_list("content_hash", flat=True)
    return {
        name: by_hash[name] for name in sorted(by_hash.keys() - (known_pks.keys() & {*current}))
    }


def _kernel_rows(
    candidates: Sequence[Candidate], evidence_by_hash: Mapping[str, Evidence]
) -> tuple[dict[str, int], int]:
    by_hash = {item.content_hash: item for item in candidates}
    # All workers insert rows in the order of their hashes, so that they can't deadlock.
    new_kernels = {name: by_hash[name] for name in sorted(by_hash.keys() - _pks(by_hash).keys())}
    if not evidence_by_hash.keys() >= new_kernels.keys():
        raise KernelsVanished("Kernels were deleted while they were read again.")
    evidence = {name: evidence_by_hash[name] for name in by_hash if name in evidence_by_hash}
    if new_kernels:
        # Another worker may insert the same kernel from another repository at this time.
        Kernel.objects.bulk_create(
            [_kernel(item, evidence[name]) for name, item in new_kernels.items()],
            ignore_conflicts=True,
        )
    kernels = _pks(by_hash)
    renewed = {kernels[name]: evidence[name] for name in evidence if name not in new_kernels}
    renew_kernels(renewed)
    store_findings({kernels[name]: evidence[name] for name in evidence})
    return kernels, len(new_kernels)


def _pks(wanted: dict[str, Candidate]) -> dict[str, int]:
    rows = Kernel.objects.filter(content_hash__among=wanted).values_list("content_hash", "pk")
    return dict(rows)


def _kernel(item: Candidate, evidence: Evidence) -> Kernel:
    kernel, unit = item.kernel, item.unit
    return Kernel(
        content_hash=item.content_hash,
        name=kernel.name,
        kind=kernel.kind,
        language=kernel.language,
        function_source=kernel.source,
        standalone_source=unit.source,
        launcher_source=unit.launcher_source or "",
        standalone=unit.standalone,
        standalone_reasons=list(unit.reasons),
        notes=list(unit.notes),
        parameters=[asdict(parameter) for parameter in kernel.parameters],
        lines=unit.source.count("\n") + (not unit.source.endswith("\n")),
        tokens=item.tokens,
        hardware=evidence.hardware or hardware_of_path(kernel.path) or DEFAULT,
        min_triton=evidence.min_triton,
        **kind_columns(evidence.kind),
    )
