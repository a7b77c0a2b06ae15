"""Funnel: the number of kernels that pass each stage, and reasons why the other kernels do not."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from curation.evidence.opt_outs import opted_out
from curation.models import (
    Action,
    ContaminationMatch,
    DuplicateLink,
    Kernel,
    LicenseVerdict,
    Provenance,
    QualityFinding,
    Repository,
    Status,
)


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """Number of kernels that passed a stage (`count`), and of kernels that did not, by reason."""

    name: str
    count: int
    behind: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def funnel(repositories: QuerySet[Repository]) -> Iterator[FunnelStage]:
    """Yield the stages from found to uncontaminated, then the passed kernels by review status."""
    places = Provenance.objects.filter(
        kernel=OuterRef("pk"), retired_at=None, source_file__repository__in=repositories
    )
    kernels = Kernel.objects.filter(Exists(places)).order_by()
    count = kernels.count()
    yield FunnelStage("found", count)
    for name, passing, reasons in STAGES:
        passed = kernels.filter(passing)
        stayed = kernels.exclude(passing)
        kernels, before = passed, count
        count = passed.count()
        yield FunnelStage(name, count, reasons(stayed) if count < before else {})
    for status, number in _by(kernels, "status").items():
        yield FunnelStage(_STANDING.get(status, status), number)


_STANDING: dict[str, str] = {Status.PENDING: "pending review"}


def _by(kernels: QuerySet[Kernel], column: str) -> dict[str, int]:
    rows = kernels.values_list(column).annotate(number=Count("pk")).order_by("-number", column)
    return {str(value): number for value, number in rows}


def _not_standalone(kernels: QuerySet[Kernel]) -> dict[str, int]:
    return {"not standalone": kernels.count()}


def _by_license(kernels: QuerySet[Kernel]) -> dict[str, int]:
    wished = kernels.filter(opted_out()).count()
    return _by(kernels.exclude(opted_out()), "license_verdict") | (
        {"opted out": wished} if wished else {}
    )


_failed = QualityFinding.objects.filter(passed=False, action=Action.BLOCK)


def _by_gate(kernels: QuerySet[Kernel]) -> dict[str, int]:
    """Count kernels by failed quality gate. A kernel that fails two gates counts under both."""
    rows = _failed.filter(kernel__in=kernels).values_list("gate")
    return dict(rows.annotate(number=Count("pk")).order_by("-number", "gate"))


_link = DuplicateLink.objects.filter(kernel=OuterRef("pk"), content_hash=OuterRef("content_hash"))


def _by_likeness(kernels: QuerySet[Kernel]) -> dict[str, int]:
    rows = DuplicateLink.objects.filter(kernel__in=kernels).values_list("likeness")
    return dict(rows.annotate(number=Count("pk")).order_by("-number"))


_match = ContaminationMatch.objects.filter(
    kernel=OuterRef("pk"), content_hash=OuterRef("content_hash")
)


def _by_benchmark(kernels: QuerySet[Kernel]) -> dict[str, int]:
    """Count kernels by benchmark. A kernel that overlaps two benchmarks counts under both."""
    rows = ContaminationMatch.objects.filter(kernel__in=kernels).values_list("benchmark__name")
    return dict(rows.annotate(number=Count("kernel", distinct=True)).order_by("-number"))


STAGES = (
    ("standalone", Q(standalone=True), _not_standalone),
    ("licensed", Q(license_verdict=LicenseVerdict.PERMISSIVE) & ~opted_out(), _by_license),
    ("quality", ~Exists(_failed.filter(kernel=OuterRef("pk"))), _by_gate),
    ("unique", ~Exists(_link), _by_likeness),
    ("uncontaminated", ~Exists(_match), _by_benchmark),
)
