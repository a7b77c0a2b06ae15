"""Kernels become rows by their content, and every place where one was seen a row beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.db.models import Exists, OuterRef

from curation.errors import CurationError
from curation.models import CompiledGraph, Kernel, Provenance, QualityFinding, Repository
from ingest.candidate import Candidate, GraphRead
from ingest.classify import classification
from ingest.classify.hardware import DEFAULT, hardware_of_path
from ingest.evidence import Evidence
from ingest.licenses import strictest
from ingest.persist.evidence import kind_columns, renew_kinds, store_findings
from ingest.persist.files import Files
from ingest.persist.hardware import renew_requirements
from ingest.persist.licenses import Licences
from ingest.quality import default_profile

# What tells one place from another: file, first and last line, qualname, kernel.
Place = tuple[int, int, int, str, int]

RENEWED = (
    "retired_at", "drawn_from",
    "license_id", "license_verdict", "license_inherited", "license_reason",
    "copyrights", "license_texts",
)  # fmt: skip


class KernelsVanished(CurationError):
    """Kernels were known when a batch was gathered, and are no more when it is written."""

    retry = True


class Kernels:
    """The places of one repository's kernels that this run has seen."""

    def __init__(self, repository: Repository, files: Files) -> None:
        self._repository = repository
        self._files = files
        self._graphs: dict[tuple[str, str], int] = {}
        self._licences = Licences(repository, files)
        self.seen: set[int] = set()

    def store_graphs(self, graphs: Sequence[GraphRead]) -> None:
        for graph in graphs:
            row, _ = CompiledGraph.objects.update_or_create(
                repository=self._repository,
                model=graph.model,
                trace=graph.trace,
                defaults={
                    "path": graph.path,
                    "text": graph.text,
                    "module": graph.module,
                    "missing": list(graph.missing),
                },
            )
            self._graphs[graph.model, graph.trace] = row.pk

    def store(self, found: Sequence[Candidate], gathered: Mapping[str, Evidence]) -> int:
        """Write a batch and say how many kernels were new to the database."""
        kernels, new = _kernel_rows(found, gathered)
        for item in found:
            self._licences.store(item.licences)
            self._licences.store_texts(item.licence_texts)
        wanted = {self._place(item, kernels): item for item in found}
        known = self._known([place[0] for place in wanted])
        created = [
            self._provenance(place, item) for place, item in wanted.items() if place not in known
        ]
        Provenance.objects.bulk_create(created)
        changed = [
            row
            for place, row in known.items()
            if place in wanted and self._renew(row, wanted[place])
        ]
        Provenance.objects.bulk_update(changed, [name.removesuffix("_id") for name in RENEWED])
        self.seen.update(row.pk for place, row in known.items() if place in wanted)
        self.seen.update(row.pk for row in created)
        return new

    def _place(self, item: Candidate, kernels: dict[str, int]) -> Place:
        kernel = item.kernel
        file = self._files.pk_of(kernel.path)
        return (
            file,
            kernel.start_line,
            kernel.end_line,
            kernel.qualname,
            kernels[item.content_hash],
        )

    def _known(self, files: Sequence[int]) -> dict[Place, Provenance]:
        rows = Provenance.objects.filter(source_file__among=set(files))
        return {_place_of(row): row for row in rows}

    def _renew(self, row: Provenance, item: Candidate) -> bool:
        """Write what a reading says of a place that is known; False: nothing has changed."""
        before = [getattr(row, column) for column in RENEWED]
        row.retired_at = None
        row.drawn_from = list(item.unit.drawn_from)
        self._license(row, item)
        return before != [getattr(row, column) for column in RENEWED]

    def _license(self, row: Provenance, item: Candidate) -> None:
        if item.licences:
            verdict = strictest(item.licences)
            row.license_id = self._licences.pk_of(verdict)
            row.license_verdict = verdict.verdict
            row.license_inherited = verdict.inherited
            row.license_reason = verdict.reason
            row.copyrights = list(verdict.copyrights)
            row.license_texts = [[text.path, text.sha256] for text in item.licence_texts]

    def _provenance(self, place: Place, item: Candidate) -> Provenance:
        file, start, end, qualname, kernel = place
        row = Provenance(
            kernel_id=kernel,
            source_file_id=file,
            qualname=qualname,
            container=item.kernel.container,
            start_line=start,
            end_line=end,
            cell=item.kernel.cell,
            sha256=item.kernel.sha256,
            drawn_from=list(item.unit.drawn_from),
            graph_id=self._graphs.get(item.graph) if item.graph else None,
            origins=item.origins,
        )
        self._license(row, item)
        return row


def _place_of(row: Provenance) -> Place:
    return (row.source_file_id, row.start_line, row.end_line, row.qualname, row.kernel_id)


def wanting(found: Sequence[Candidate]) -> dict[str, Candidate]:
    """Those of a batch, each content once, that the database does not know or knows by other
    rules than today's."""
    wanted = {item.content_hash: item for item in found}
    known = _pks(wanted)
    today = Kernel.objects.filter(content_hash__among=wanted, kind_rules=classification.VERSION)
    today = today.exclude(min_triton="")
    judged = QualityFinding.objects.filter(kernel=OuterRef("pk")).exclude(
        rules=default_profile().version
    )
    current = today.exclude(Exists(judged)).values_list("content_hash", flat=True)
    return {name: wanted[name] for name in sorted(wanted.keys() - (known.keys() & {*current}))}


def _kernel_rows(
    found: Sequence[Candidate], gathered: Mapping[str, Evidence]
) -> tuple[dict[str, int], int]:
    wanted = {item.content_hash: item for item in found}
    # In one order everywhere: two workers that insert the same kernels can't lock each other out.
    missing = {name: wanted[name] for name in sorted(wanted.keys() - _pks(wanted).keys())}
    if not gathered.keys() >= missing.keys():
        raise KernelsVanished("Kernels were deleted while they were read again.")
    said = {name: gathered[name] for name in wanted if name in gathered}
    if missing:
        # Another worker may write the same kernel from its own repository at this moment.
        Kernel.objects.bulk_create(
            [_kernel(item, said[name]) for name, item in missing.items()],
            ignore_conflicts=True,
        )
    kernels = _pks(wanted)
    renewed = {kernels[name]: said[name] for name in said if name not in missing}
    renew_kinds({pk: evidence.kind for pk, evidence in renewed.items()})
    renew_requirements(renewed)
    store_findings({kernels[name]: said[name] for name in said})
    return kernels, len(missing)


def _pks(wanted: dict[str, Candidate]) -> dict[str, int]:
    rows = Kernel.objects.filter(content_hash__among=wanted).values_list("content_hash", "pk")
    return dict(rows)


def _kernel(item: Candidate, gathered: Evidence) -> Kernel:
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
        notes=_notes(item),
        parameters=[asdict(parameter) for parameter in kernel.parameters],
        lines=unit.source.count("\n") + (not unit.source.endswith("\n")),
        tokens=item.tokens,
        hardware=gathered.hardware or hardware_of_path(kernel.path) or DEFAULT,
        min_triton=gathered.min_triton,
        **kind_columns(gathered.kind),
    )


def _notes(item: Candidate) -> list[Any]:
    renamed = (f"{r.old} of {r.path} is called {r.new} here." for r in item.unit.renamed)
    return [*item.unit.notes, *renamed]
