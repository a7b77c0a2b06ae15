"""Kernels become rows by their content, and every place where one was seen a row beside it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from curation.models import CompiledGraph, Kernel, Provenance, Repository
from ingest.candidate import Candidate, GraphRead
from ingest.persist.files import Files

# What tells one place from another: file, first and last line, qualname, kernel.
Place = tuple[int, int, int, str, int]


class Kernels:
    """The places of one repository's kernels that this run has seen."""

    def __init__(self, repository: Repository, files: Files) -> None:
        self._repository = repository
        self._files = files
        self._graphs: dict[tuple[str, str], int] = {}
        self.seen: set[int] = set()
        self.places = self.distinct = 0

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

    def store(self, found: Sequence[Candidate]) -> int:
        """Write a batch and say how many kernels were new to the database."""
        kernels, new = _kernel_rows(found)
        wanted = {self._place(item, kernels): item for item in found}
        known = self._known([place[0] for place in wanted])
        created = [
            self._provenance(place, item) for place, item in wanted.items() if place not in known
        ]
        Provenance.objects.bulk_create(created)
        back = [
            row for place, row in known.items() if place in wanted and _differs(row, wanted[place])
        ]
        for row in back:
            row.retired_at = None
            row.drawn_from = list(wanted[_place_of(row)].unit.drawn_from)
        Provenance.objects.bulk_update(back, ["retired_at", "drawn_from"])
        self.seen.update(row.pk for place, row in known.items() if place in wanted)
        self.seen.update(row.pk for row in created)
        self.places += len(wanted)
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
        rows = Provenance.objects.filter(source_file__in=set(files))
        return {_place_of(row): row for row in rows}

    def _provenance(self, place: Place, item: Candidate) -> Provenance:
        file, start, end, qualname, kernel = place
        return Provenance(
            kernel_id=kernel,
            source_file_id=file,
            qualname=qualname,
            container=item.kernel.container,
            start_line=start,
            end_line=end,
            sha256=item.kernel.sha256,
            drawn_from=list(item.unit.drawn_from),
            graph_id=self._graphs.get(item.graph) if item.graph else None,
            origins=item.origins,
        )


def _place_of(row: Provenance) -> Place:
    return (row.source_file_id, row.start_line, row.end_line, row.qualname, row.kernel_id)


def _differs(row: Provenance, item: Candidate) -> bool:
    return row.retired_at is not None or row.drawn_from != list(item.unit.drawn_from)


def _kernel_rows(found: Sequence[Candidate]) -> tuple[dict[str, int], int]:
    wanted = {item.content_hash: item for item in found}
    known = _pks(wanted)
    # In one order everywhere: two workers that insert the same kernels can't lock each other out.
    missing = [wanted[name] for name in sorted(wanted.keys() - known.keys())]
    if missing:
        # Another worker may write the same kernel from its own repository at this moment.
        Kernel.objects.bulk_create(map(_kernel, missing), ignore_conflicts=True)
        known = _pks(wanted)
    return known, len(missing)


def _pks(wanted: dict[str, Candidate]) -> dict[str, int]:
    rows = Kernel.objects.filter(content_hash__in=wanted).values_list("content_hash", "pk")
    return dict(rows)


def _kernel(item: Candidate) -> Kernel:
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
    )


def _notes(item: Candidate) -> list[Any]:
    renamed = (f"{r.old} of {r.path} is called {r.new} here." for r in item.unit.renamed)
    return [*item.unit.notes, *renamed]
