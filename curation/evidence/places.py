"""Places of kernels in repositories, and the choice of the place to export a kernel from."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from curation.evidence.opt_outs import rules_in_force
from curation.evidence.sources import ExportSource
from curation.models import LicenseVerdict, Provenance

PERMISSIVE = LicenseVerdict.PERMISSIVE.value
LINES = re.compile(r"(\d+)-(\d+)")


class LicenseTerms(NamedTuple):
    """License terms at a place, with the path and sha256 of each license text."""

    copyrights: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]


class KernelPlace(NamedTuple):
    """A place of a kernel: a repository's file, and the lines that contain the kernel."""

    pk: int
    source: int
    path: str
    commit: str
    lines: tuple[int, int]  # zeros: the complete file
    cell: int | None
    """In a notebook: the code cell. Lines are counted within it."""
    live: bool
    expression: str | None
    verdict: str
    opted_out: bool
    terms: LicenseTerms

    @property
    def gives(self) -> bool:
        """True if a kernel may be distributed from this place, under the place's license."""
        return self.live and self.verdict == PERMISSIVE


def places_of(
    kernels: Collection[int], sources: Mapping[int, ExportSource]
) -> dict[int, list[KernelPlace]]:
    """Return the places of each kernel. The first one is the place to export from.

    Permissive places come first, current places before earlier ones, then by most stars of the
    repository. Ties are broken by name, so that the order of storage has no effect.
    """
    places_by_kernel: dict[int, list[KernelPlace]] = defaultdict(list)
    rows = Provenance.objects.filter(kernel__among=frozenset(kernels)).order_by()
    for row in rows.select_related("source_file", "license"):
        file, source = row.source_file, row.source_file.repository_id
        texts = tuple((path, sha256) for path, sha256 in row.license_texts)
        place = KernelPlace(
            row.pk, source, file.path, file.commit, (row.start_line, row.end_line), row.cell,
            row.retired_at is None, row.license.expression if row.license else None,
            row.license_verdict, row.opted_out or sources[source].opted_out,
            LicenseTerms(tuple(row.copyrights), texts),
        )  # fmt: skip
        places_by_kernel[row.kernel_id].append(place)
    for places in places_by_kernel.values():
        if len(places) > 1:
            places.sort(key=lambda place: _order(place, sources[place.source]))
    return places_by_kernel


class DraftedPlaces:
    """Places of drafted pairs whose kernel is not stored, read from the metadata of the pairs."""

    def __init__(self, sources: Mapping[int, ExportSource]) -> None:
        self._sources = sources
        self._keys = {source.row.name.casefold(): key for key, source in sources.items()}
        self._opt_outs = rules_in_force()

    def of(
        self, metadata: Mapping[str, Any], expression: str | None, verdict: str
    ) -> list[KernelPlace]:
        """Return the place that a pair's metadata names, or no place if its source is unknown."""
        drawn = metadata.get("provenance") or {}
        source = self._keys.get((drawn.get("repository") or "").casefold())
        if source is None:
            return []
        lines = LINES.fullmatch(str(drawn.get("lines", "")))
        return [
            KernelPlace(
                0, source, drawn.get("path") or "", drawn.get("commit") or "",
                (int(lines[1]), int(lines[2])) if lines else (0, 0), None, True, expression,
                verdict, self._sources[source].opted_out or bool(self.opt_out(metadata, source)),
                LicenseTerms((drawn.get("copyright") or "",), ()),
            )
        ]  # fmt: skip

    def opt_out(self, metadata: Mapping[str, Any], source: int = 0) -> str:
        """Return a sentence on the opt-out that covers a pair, or "". Its source may be unknown."""
        drawn = metadata.get("provenance") or {}
        name, path = drawn.get("repository") or "", drawn.get("path") or ""
        place = source, name, path, (drawn.get("copyright") or "",)
        return f"An opt-out excludes {name}." if any(r(*place) for r in self._opt_outs) else ""


def _order(
    place: KernelPlace, source: ExportSource
) -> tuple[bool, bool, int, str, str, int, tuple[int, int]]:
    known, cell = -(source.stars or 0), place.cell or 0
    return (not place.gives, not place.live, known, source.name, place.path, cell, place.lines)
