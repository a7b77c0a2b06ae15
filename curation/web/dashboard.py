"""Figures of the dashboard, computed by the scheduler so that the page only reads them."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef, Q
from django.db.models.functions import TruncDate
from django.utils import timezone
from redis.exceptions import RedisError

from curation.decisions.agreement import agreement
from curation.decisions.figures import due, keep, kept
from curation.jobs.duty import is_held
from curation.jobs.workers import alive_workers
from curation.models import (
    Actor,
    Agreement,
    ContaminationMatch,
    Decision,
    DuplicateLink,
    ExportRun,
    Figures,
    IngestRun,
    Kernel,
    LicenseVerdict,
    Pair,
    Provenance,
    ReleaseMember,
    SecondReview,
    Status,
    ValidationResult,
    ValidationRun,
)
from curation.search.filters import Filter

NAME = "dashboard"
DAYS = 30
PACE_DAYS = 7
DISPUTED = Filter(disputed=("yes",))


def figures() -> Figures:
    """Return the cached figures. Without any, compute them."""
    cached = kept(NAME)
    if cached is None:
        keep(NAME, gather())
        cached = kept(NAME)
    assert cached is not None, "it was stored above"  # noqa: S101
    return cached


def refresh() -> None:
    """Scheduled task: compute the figures when they are due."""
    if due("dashboard-due", settings.DASHBOARD_SECONDS):
        keep(NAME, gather())


def gather() -> dict[str, Any]:
    pending = Kernel.objects.pending().count() + Pair.objects.pending().count()
    days = _days()
    pace = sum(days[-PACE_DAYS:]) / PACE_DAYS
    agreed = agreement(
        SecondReview.objects.filter(
            state__in=(Agreement.AGREED, Agreement.DISPUTED, Agreement.SETTLED)
        ).values_list("first__status", "status")
    )
    return {
        "funnel": _funnel(),
        "kernels": _counts(Kernel.objects.all(), "status"),
        "pairs": _counts(Pair.objects.all(), "status"),
        "operations": _by(("operation_type", "status")),
        "categories": _categories(),
        "verdicts": _counts(Kernel.objects.all(), "license_verdict"),
        "validations": _counts(ValidationResult.objects.all(), "verdict"),
        "days": days,
        "pending": pending,
        "pace": round(pace, 1),
        "days_left": round(pending / pace) if pace else None,
        "agreement": {
            "count": agreed.count,
            "percent": agreed.percent,
            "kappa": agreed.kappa,
            "undefined": agreed.undefined,
        },
        "second": _counts(SecondReview.objects.all(), "state"),
        "disputed": {
            "kernels": DISPUTED.of(Kernel.objects.all()).count(),
            "pairs": DISPUTED.of(Pair.objects.all()).count(),
        },
        "ended": _ended(),
        "ingests": _last_ingests(),
        "workers": _workers(),
        "scheduler": is_held("scheduler"),
    }


def _funnel() -> list[tuple[str, int]]:
    """Count the funnel; each step is a subset of the previous one."""
    all_kernels = Kernel.objects.all()
    isolated = all_kernels.filter(standalone=True)
    licensed = isolated.filter(license_verdict=LicenseVerdict.PERMISSIVE)
    unique = licensed.exclude(Exists(DuplicateLink.objects.filter(kernel=OuterRef("pk"))))
    clean = unique.exclude(Exists(ContaminationMatch.objects.filter(kernel=OuterRef("pk"))))
    approved = clean.filter(status=Status.APPROVED)
    released = approved.filter(Exists(ReleaseMember.objects.filter(kernel=OuterRef("pk"))))
    steps = {
        "found": all_kernels, "standalone": isolated, "licensed": licensed, "unique": unique,
        "not in a benchmark": clean, "approved": approved, "released": released,
    }  # fmt: skip
    return [(name, rows.count()) for name, rows in steps.items()]


def _counts(rows: Any, column: str) -> list[tuple[str, int]]:
    found = rows.order_by().values_list(column).annotate(n=Count("pk")).order_by("-n")
    return [(name or "not known", n) for name, n in found]


def _by(columns: tuple[str, str]) -> list[tuple[str, int, int]]:
    """Return name, approved and total, of kernels and pairs together."""
    total: dict[str, list[int]] = {}
    for model in (Kernel, Pair):
        rows = model._default_manager.order_by().values_list(*columns).annotate(n=Count("pk"))
        for name, status, n in rows:
            row = total.setdefault(name, [0, 0])
            row[0] += n if status == Status.APPROVED else 0
            row[1] += n
    ordered = sorted(total.items(), key=lambda entry: (-entry[1][1], entry[0]))
    return [(name, *row) for name, row in ordered]  # type: ignore[misc]


def _categories() -> list[tuple[str, int, int]]:
    rows = (
        Provenance.objects.filter(retired_at=None)
        .order_by()
        .values_list("source_file__repository__category")
        .annotate(
            approved=Count("kernel", distinct=True, filter=Q(kernel__status=Status.APPROVED)),
            n=Count("kernel", distinct=True),
        )
        .order_by("-n")
    )
    return list(rows)


def _days() -> list[int]:
    """Count the decisions of people on each of the last days, today last."""
    today = timezone.now().date()
    since = timezone.now() - timedelta(days=DAYS)
    rows = (
        Decision.objects.filter(actor=Actor.PERSON, created_at__gte=since)
        .order_by()
        .annotate(day=TruncDate("created_at"))
        .values_list("day")
        .annotate(n=Count("pk"))
    )
    by_day = dict(rows)
    return [by_day.get(today - timedelta(days=ago), 0) for ago in range(DAYS - 1, -1, -1)]


def _ended() -> list[tuple[str, str, int]]:
    """Count ended runs by kind and state."""
    return [
        (model.__name__.removesuffix("Run").lower(), state, n)
        for model in (IngestRun, ValidationRun, ExportRun)
        for state, n in _counts(model._default_manager.ended(), "state")
    ]


def _last_ingests() -> list[tuple[str, int]]:
    """Count sources by the state of their last ingest."""
    ended = IngestRun.objects.ended().order_by()
    newest = ended.values("repository").annotate(newest=Max("pk")).values("newest")
    return _counts(IngestRun.objects.filter(pk__in=newest), "state")


def _workers() -> dict[str, int] | None:
    try:
        return alive_workers()
    except RedisError:
        return None
