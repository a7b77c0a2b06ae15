"""Where kernels were seen, and which of the places a kernel is given away from."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from curation.evidence.sources import Source
from curation.models import LicenseVerdict, Provenance


@dataclass(frozen=True, slots=True)
class Place:
    pk: int
    source: int
    path: str
    commit: str
    lines: tuple[int, int]
    live: bool
    expression: str | None
    verdict: str
    opted_out: bool

    @property
    def gives(self) -> bool:
        """Whether a kernel may be taken from here."""
        return self.live and self.verdict == LicenseVerdict.PERMISSIVE


_COLUMNS = (
    "kernel_id", "pk", "source_file__repository_id", "source_file__path", "source_file__commit",
    "start_line", "end_line", "retired_at", "license__expression", "license_verdict",
    "opted_out",
)  # fmt: skip


def places_of(kernels: Collection[int], sources: Mapping[int, Source]) -> dict[int, list[Place]]:
    """The places of each of these kernels, the one that speaks for it first: one that may give it
    away, in the most known repository; then by name, so that the first one does not depend on
    which worker came first."""
    found: dict[int, list[Place]] = defaultdict(list)
    rows = Provenance.objects.filter(kernel__among=frozenset(kernels)).order_by()
    for (
        kernel,
        pk,
        source,
        path,
        commit,
        start,
        end,
        retired,
        expression,
        verdict,
        opted_out,
    ) in rows.values_list(*_COLUMNS):
        place = Place(
            pk=pk,
            source=source,
            path=path,
            commit=commit,
            lines=(start, end),
            live=retired is None,
            expression=expression,
            verdict=verdict,
            opted_out=opted_out or sources[source].opted_out,
        )
        found[kernel].append(place)
    for places in found.values():
        if len(places) > 1:
            places.sort(key=lambda place: _order(place, sources[place.source]))
    return found


def _order(place: Place, source: Source) -> tuple[bool, bool, int, str, str, tuple[int, int]]:
    known = -(source.stars or 0)
    return (not place.gives, not place.live, known, source.name, place.path, place.lines)
