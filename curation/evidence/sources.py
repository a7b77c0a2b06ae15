"""Sources of records, as an export names them. A name is never a path on this machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from curation.models import Origin, PairOrigin, Repository, Role


# Compared by identity, so that it can be the key of caches. There is one object per repository.
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
    """Return all sources by primary key. There are some thousands at most."""
    rows = list(Repository.objects.order_by("pk"))
    by_name = {row.name.casefold(): row for row in rows}
    return {row.pk: _source(row, by_name) for row in rows}


def _source(row: Repository, by_name: Mapping[str, Repository]) -> ExportSource:
    local, work = row.origin != Origin.GIT, row.stated.get("repository", "")
    # Code that was compiled from a repository may be exported only if that repository's code may.
    rows = (row, by_name.get(work.casefold(), row))
    return ExportSource(
        # Use only the last part of a folder's path. The path would describe this machine.
        name=work or (f"local/{PurePath(row.name).name}" if local else row.name),
        category=row.category,
        origin=PairOrigin.INDUCTOR if row.origin == Origin.INDUCTOR else PairOrigin.REAL_WORLD,
        weight=float(row.upsampling_weight),
        stars=row.stars,
        benchmark=any(one.role == Role.BENCHMARK for one in rows),
        opted_out=any(one.opted_out for one in rows),
        local=local,
        row=row,
    )
