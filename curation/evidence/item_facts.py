"""Facts on which an item's clustering depends: status, license, documentation, stars."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Exists, FilteredRelation, OuterRef, Q, QuerySet

from curation.evidence.subjects import KERNEL, PAIR, Subject
from curation.models import Fingerprint, LicenseVerdict, QualityFinding, Role, Status
from curation.similarity.duplicates import Facts


@dataclass(frozen=True, slots=True)
class ItemFacts:
    placed: bool | None
    """True if the item belongs in a cluster. Retired, benchmark and opted-out items do not."""
    status: str
    license_verdict: str
    license_stated: bool
    documented: bool
    stars: int
    hardware: str

    def facts(self, content_hash: str) -> Facts:
        return Facts(
            content_hash=content_hash,
            permissive=self.license_verdict == LicenseVerdict.PERMISSIVE,
            documented=self.documented,
            stars=self.stars,
            hardware=self.hardware,
            rejected=self.status == Status.REJECTED,
            approved=self.status == Status.APPROVED,
        )


ABOUT = itemgetter(slice(5))
COLUMNS = (
    "placed", "status", "license_verdict", "license_stated", "documented", "stars", "hardware",
)  # fmt: skip


def present(subject: Subject, keys: Iterable[int]) -> dict[int, ItemFacts]:
    """Return the current facts of these items."""
    read = _kernels if subject is KERNEL else _pairs
    return dict(read(list(keys)))


def recorded(subject: Subject, keys: Iterable[int]) -> dict[int, ItemFacts]:
    """Return the facts at the last placement of each item, except items without a fingerprint."""
    rows = Fingerprint.objects.filter(**subject.about(keys)).values_list(subject.column, *COLUMNS)
    return {pk: ItemFacts(*columns) for pk, *columns in rows}


def _kernels(keys: list[int]) -> Iterable[tuple[int, ItemFacts]]:
    for about, rows in groupby(_kernels_and_places(keys), ABOUT):
        pk, status, verdict, hardware, documented = about
        places = [_PlaceRow(*place) for _, _, _, _, _, known, *place in rows if known]
        allowed = [place for place in places if place.opted_out_at is None]
        yield (
            pk,
            ItemFacts(
                placed=status != Status.RETIRED
                and all(place.role != Role.BENCHMARK for place in places)
                and (bool(allowed) or not places),
                status=status,
                license_verdict=verdict,
                license_stated=verdict != LicenseVerdict.UNKNOWN
                and any(p.license_verdict == verdict and not p.license_inherited for p in places),
                documented=documented,
                stars=max((place.stars or 0 for place in allowed), default=0),
                hardware=hardware,
            ),
        )


class _PlaceRow(NamedTuple):
    license_verdict: str
    license_inherited: bool
    role: str
    opted_out_at: datetime | None
    stars: int | None


def _pairs(keys: list[int]) -> Iterable[tuple[int, ItemFacts]]:
    columns = ("pk", "status", "license_verdict", "hardware")
    for pk, status, verdict, hardware in PAIR.rows().filter(pk__among=keys).values_list(*columns):
        yield pk, ItemFacts(status != Status.RETIRED, status, verdict, False, False, 0, hardware)


def _kernels_and_places(keys: list[int]) -> QuerySet[Any, Any]:
    """Return a row for each current place of a kernel, and one row for a kernel without places."""
    docstrings = QualityFinding.objects.filter(kernel=OuterRef("pk"), gate="docstring", passed=True)
    rows: QuerySet[Any] = KERNEL.rows().filter(pk__among=keys).order_by("pk")
    about: QuerySet[Any, Any] = rows.annotate(
        documented=Exists(docstrings),
        place=FilteredRelation("provenances", condition=Q(provenances__retired_at=None)),
    ).values_list(
        "pk",
        "status",
        "license_verdict",
        "hardware",
        "documented",
        "place",
        "place__license_verdict",
        "place__license_inherited",
        "place__source_file__repository__role",
        "place__source_file__repository__opted_out_at",
        "place__source_file__repository__stars",
    )
    return about
