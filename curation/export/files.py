"""Whole files as the unit: a file is exported if no kernel in it is excluded."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from curation.evidence.places import KernelPlace
from curation.evidence.sources import ExportSource
from curation.export import evidence
from curation.export.evidence import KnownItem
from curation.export.gates import Exclusion, ExclusionReason, Rules, exclusion
from curation.filters import Filter
from curation.models import Kernel, Provenance, SourceFile

BATCH = 200

# Reasons that do not exclude a file, such as a near-duplicate exported elsewhere.
HARMLESS = frozenset({ExclusionReason.DUPLICATE, ExclusionReason.NOT_STANDALONE})


@dataclass(frozen=True, slots=True)
class KnownFile:
    sha256: str
    path: str
    commit: str
    lines: int
    tokens: int
    source: int
    kernels: Sequence[KnownItem]
    why: Exclusion | None

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def places(self) -> list[KernelPlace]:
        """Return the places of its kernels in it."""
        return [place for known in self.kernels for place in known.places if self.holds(place)]

    def holds(self, place: KernelPlace) -> bool:
        return (place.source, place.path) == (self.source, self.path)


def files(
    where: Filter, rules: Rules, sources: Mapping[int, ExportSource]
) -> Iterator[list[KnownFile]]:
    """Yield every file that contains kernels now, once for each content."""
    wanted = where.of(Kernel.objects.all())
    rows = SourceFile.objects.filter(
        retired_at=None, provenances__retired_at=None, provenances__kernel__in=wanted
    ).distinct()
    columns = ("sha256", "pk", "path", "commit", "lines", "tokens", "repository_id")
    last = ""
    ordered = rows.order_by("sha256", "repository__name", "path").values_list(*columns)
    while batch := list(ordered.filter(sha256__gt=last)[:BATCH]):
        # The last content may continue in the next batch, so all its rows are added.
        last = batch[-1][0]
        batch += [row for row in ordered.filter(sha256=last) if row not in batch]
        first: dict[str, Any] = {}
        for row in batch:
            first.setdefault(row[0], row)
        inside = _kernels_of([row[1] for row in first.values()], sources)
        batch_files = []
        for sha256, pk, path, commit, lines, tokens, source in first.values():
            file = KnownFile(sha256, path, commit, lines, tokens or 0, source, inside[pk], None)
            batch_files.append(replace(file, why=_why(file, rules)))
        yield batch_files


def _kernels_of(
    pks: Sequence[int], sources: Mapping[int, ExportSource]
) -> dict[int, list[KnownItem]]:
    standing: dict[int, list[int]] = defaultdict(list)
    rows = Provenance.objects.filter(source_file__among=pks, retired_at=None).order_by()
    for kernel, file in rows.values_list("kernel_id", "source_file_id").distinct():
        standing[kernel].append(file)
    inside: dict[int, list[KnownItem]] = defaultdict(list)
    batches = evidence.kernels(Kernel.objects.filter(pk__among=list(standing)), sources)
    # Sorted, so that the same kernel represents a file, whichever was stored first.
    every = sorted(chain.from_iterable(batches), key=lambda known: known.facts.content_hash)
    for known in every:
        for file in standing[known.pk]:
            inside[file].append(known)
    return inside


def _why(file: KnownFile, rules: Rules) -> Exclusion | None:
    # License and opt-outs of other places do not count, because this file is distributed.
    for place in file.places:
        if place.live and not place.gives:
            return Exclusion(
                ExclusionReason.LICENSE, f"The license of its code is {place.verdict} here."
            )
    reasons = [(known, exclusion(known.facts, rules)) for known in file.kernels]
    for known, why in reasons:
        if why is not None and why.reason not in HARMLESS:
            return Exclusion(why.reason, f"It holds {known.name}. {why.message}")
    if all(why is not None for _, why in reasons):
        return Exclusion(
            ExclusionReason.DUPLICATE, "Other files contain near-duplicates of all its kernels."
        )
    return None
