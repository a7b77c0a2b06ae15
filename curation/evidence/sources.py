"""Sources of records, as an export names them: never by a path of this machine."""

from dataclasses import dataclass
from pathlib import PurePath

from curation.models import Origin, PairOrigin, Repository, Role


# Compared by identity: there is one object per repository, so that it can be the key of caches.
@dataclass(frozen=True, slots=True, eq=False)
class ExportSource:
    name: str
    category: str
    origin: str
    weight: float
    stars: int | None
    benchmark: bool
    opted_out: bool
    local: bool
    row: Repository


def every_source() -> dict[int, ExportSource]:
    """Return all sources by primary key; some thousands at most."""
    return {row.pk: _source(row) for row in Repository.objects.order_by("pk")}


def _source(row: Repository) -> ExportSource:
    local = row.origin != Origin.GIT
    return ExportSource(
        # A folder's name is its path, which would reveal the machine's layout.
        name=f"local/{PurePath(row.name).name}" if local else row.name,
        category=row.category,
        origin=PairOrigin.INDUCTOR if row.origin == Origin.INDUCTOR else PairOrigin.REAL_WORLD,
        weight=float(row.upsampling_weight),
        stars=row.stars,
        benchmark=row.role == Role.BENCHMARK,
        opted_out=row.opted_out,
        local=local,
        row=row,
    )
