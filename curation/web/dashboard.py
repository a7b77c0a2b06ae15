"""Figures of the dashboard, computed by the scheduler so that the page only reads them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
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
    Decision,
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
    Verdict,
)
from curation.search.filters import Filter
from curation.search.matching import KINDS, Duplicates, about

NAME = "dashboard"
DAYS = 30
PACE_DAYS = 7
# Steps of a funnel, each with the condition that it adds to those of the previous step.
Steps = Sequence[tuple[str, tuple[str, str] | None]]
STANDALONE = ("standalone", ("standalone", "yes"))
PROVEN = ("passed validation", ("validation", Verdict.PASSED.value))
STEPS = (
    ("licensed", ("verdict", LicenseVerdict.PERMISSIVE.value)),
    ("unique", ("duplicates", Duplicates.UNIQUE.value)),
    ("not in a benchmark", ("contaminated", "no")),
    ("approved", ("status", Status.APPROVED.value)),
)
KIND_OF = {model: kind for kind, model in KINDS.items()}
DISPUTED = Filter(disputed=("yes",))


def figures() -> Figures:
    """Return the cached figures. Compute them if the cache is empty."""
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
    pace = sum(days[-PACE_DAYS:]) / PACE_DAYS if _has_decided_for_a_week() else None
    agreed = agreement(
        SecondReview.objects.filter(
            state__in=(Agreement.AGREED, Agreement.DISPUTED, Agreement.SETTLED)
        ).values_list("first__status", "status")
    )
    return {
        "kernel_funnel": _funnel(Kernel, (("found", None), STANDALONE, *STEPS)),
        "pair_funnel": _funnel(Pair, (("found", None), PROVEN, *STEPS)),
        "kernels": _counts(Kernel.objects.all(), "status"),
        "pairs": _counts(Pair.objects.all(), "status"),
        "kernel_operations": _operations(Kernel.objects.all()),
        "pair_operations": _operations(Pair.objects.all()),
        "categories": _categories(),
        "reviewers": _reviewers(),
        "deciders": _deciders(),
        "verdicts": _counts(Kernel.objects.all(), "license_verdict"),
        "validations": _counts(ValidationResult.objects.all(), "verdict"),
        "days": days,
        "pending": pending,
        "pace": None if pace is None else round(pace, 1),
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


def _funnel(model: Any, steps: Steps) -> list[tuple[str, int, str]]:
    """Return each step with its count and the query of its list. A step narrows the previous."""
    conditions = [("items", KIND_OF[model])]
    counted = []
    for name, condition in steps:
        conditions += [condition] if condition else []
        filter = Filter.parse(conditions)
        counted.append((name, filter.of(model.objects.all()).count(), filter.query()))
    released = Exists(ReleaseMember.objects.filter(**{about(model): OuterRef("pk")}))
    count = filter.of(model.objects.all()).filter(released).count()
    return [*counted, ("released", count, "")]


def _counts(rows: Any, column: str) -> list[tuple[str, int]]:
    found = rows.order_by().values_list(column).annotate(n=Count("pk")).order_by("-n")
    return [(name or "not known", n) for name, n in found]


def _operations(items: Any) -> list[tuple[str, int, int]]:
    """Return each operation type with its number of approved items and of all items."""
    return list(
        items.order_by()
        .values_list("operation_type")
        .annotate(approved=Count("pk", filter=Q(status=Status.APPROVED)), n=Count("pk"))
        .order_by("-n", "operation_type")
    )


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


def _decided() -> QuerySet[Decision]:
    """Select the decisions of the last 30 days, without undos and the decisions they undid."""
    since = timezone.now() - timedelta(days=DAYS)
    return Decision.objects.filter(undoes=None, undone_by=None, created_at__gte=since).order_by()


def _has_decided_for_a_week() -> bool:
    """Return whether people have decided for over a week, as a weekly rate requires."""
    before = timezone.now() - timedelta(days=PACE_DAYS)
    return Decision.objects.filter(actor=Actor.PERSON, created_at__lte=before).exists()


def _reviewers() -> list[dict[str, Any]]:
    """Return each reviewer's work of the last 30 days, and agreement in all second reviews."""
    since = timezone.now() - timedelta(days=DAYS)
    alone = Q(bulk=None)
    work = (
        _decided()
        .filter(actor=Actor.PERSON)
        .values(name=F("user__username"))
        .annotate(
            decisions=Count("pk", filter=alone),
            approved=Count("pk", filter=alone & Q(status=Status.APPROVED)),
            in_bulk=Count("pk", filter=~alone),
        )
    )
    rows: dict[str, dict[str, Any]] = {row["name"]: row | {"second": 0} for row in work}
    again = SecondReview.objects.filter(given_at__gte=since).order_by()
    for name, count in again.values_list("user__username").annotate(n=Count("pk")):
        idle = {"name": name, "decisions": 0, "approved": 0, "in_bulk": 0}
        rows[name] = rows.get(name, idle) | {"second": count}
    compared = (Agreement.AGREED, Agreement.DISPUTED, Agreement.SETTLED)
    twice: dict[str, list[int]] = {}
    pairs = SecondReview.objects.filter(state__in=compared).values_list(
        "user__username", "first__user__username", "status", "first__status"
    )
    for later, first, status, first_status in pairs:
        for name in {first, later}:
            agreed = twice.setdefault(name, [0, 0])
            agreed[0] += status == first_status
            agreed[1] += 1
    ordered = sorted(rows.items(), key=lambda row: (-row[1]["decisions"], row[0]))
    return [row | {"agreed": twice.get(name, [0, 0])} for name, row in ordered]


def _deciders() -> dict[str, int]:
    """Count the decisions of people and of programs in the last 30 days, and count the people."""
    by_person = Q(actor=Actor.PERSON)
    return _decided().aggregate(
        people=Count("user", distinct=True, filter=by_person),
        by_people=Count("pk", filter=by_person),
        by_programs=Count("pk", filter=~by_person),
    )


def _days() -> list[int]:
    """Count the decisions of people on each of the last 30 days, today last."""
    today = timezone.now().date()
    rows = (
        _decided()
        .filter(actor=Actor.PERSON)
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
