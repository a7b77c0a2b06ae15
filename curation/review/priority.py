"""What is to be reviewed first, as one number in the row: the queue is then read by an index.

Pinned before validated before unique before valuable. The number is gathered again every minute
or so; an item that came meanwhile waits at the end until then.
"""

from collections import defaultdict

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Least

from curation.matching import about
from curation.models import (
    DuplicateLink,
    Kernel,
    Pair,
    Provenance,
    Status,
    ValidationResult,
    Verdict,
)
from curation.review.figures import due

PIN = 1 << 29
VALIDATED = 1 << 25
UNIQUE = 1 << 24
TIER = 1 << 21
STAR = 1 << 13  # for every thousand stars, up to 200
RAREST = STAR - 1
BATCH = 500
MOST_AT_ONCE = 20_000

Model = type[Kernel] | type[Pair]


def refresh() -> int:
    """Put right what is out of date, and say how much that was. For the scheduler."""
    if not due("priorities", settings.PRIORITY_SECONDS):
        return 0
    return sum(_refresh(model) for model in (Kernel, Pair))


def _refresh(model: Model) -> int:
    """Read without a lock, then write in short transactions: reviewers never wait for this."""
    stale = (
        model._default_manager.filter(status=Status.PENDING)
        .annotate(wanted=_wanted(model))
        .exclude(priority=F("wanted"))
        .order_by()
        .values_list("wanted", "pk")
    )
    by_priority: dict[int, list[int]] = defaultdict(list)
    for wanted, pk in stale[:MOST_AT_ONCE]:
        by_priority[wanted].append(pk)
    for wanted, pks in by_priority.items():
        for start in range(0, len(pks), BATCH):
            model._default_manager.filter(pk__among=pks[start : start + BATCH]).update(
                priority=Case(
                    When(pinned=True, then=Value(wanted | PIN)), default=Value(wanted & ~PIN)
                )
            )
    return sum(map(len, by_priority.values()))


def _wanted(model: Model) -> models.Expression:
    me = OuterRef("pk")
    results = ValidationResult.objects.filter(
        **{about(model): me}, content_hash=OuterRef("content_hash")
    ).order_by("-pk")
    passed = When(Exists(results.filter(verdict=Verdict.PASSED)), then=Value(VALIDATED))
    twin = When(Exists(DuplicateLink.objects.filter(**{about(model): me})), then=Value(0))
    return (
        Case(When(pinned=True, then=Value(PIN)), default=Value(0))
        + Case(passed, default=Value(0))
        + Case(twin, default=Value(UNIQUE))
        + _value(model)
    )


def _value(model: Model) -> models.Expression:
    """By the best repository in which it stands, then by how few do what it does."""
    kernel = OuterRef("pk") if model is Kernel else OuterRef("kernel_id")
    places = Provenance.objects.filter(kernel=kernel, retired_at=None).order_by().values("kernel")
    tier = places.annotate(best=Min("source_file__repository__tier")).values("best")
    stars = places.annotate(most=Max("source_file__repository__stars")).values("most")
    number = IntegerField()
    thousands = Least(Coalesce(Subquery(stars, number), 0) / 1000, 200)
    worth = (3 - Coalesce(Subquery(tier, number), 3)) * TIER + thousands * STAR + _rarity(model)
    if model is Pair:
        return worth
    # What does not stand alone can't leave the house as it is.
    return Case(When(standalone=False, then=Value(-1)), default=worth)


def _rarity(model: Model) -> models.Expression:
    counts = (
        model._default_manager.filter(status__in=(Status.PENDING, Status.APPROVED))
        .exclude(operation_type="")
        .order_by()
        .values_list("operation_type")
        .annotate(Count("pk"))
    )
    whens = [
        When(operation_type=operation, then=Value(RAREST // (1 + count)))
        for operation, count in counts
    ]
    return Case(*whens, default=Value(0), output_field=IntegerField())


@transaction.atomic
def pin(*, item: Kernel | Pair, pinned: bool, user: User) -> None:
    """Put an item first, or back where it belongs; the act is logged."""
    moved = type(item)._default_manager.filter(pk=item.pk, pinned=not pinned)
    if moved.update(pinned=pinned, priority=F("priority") + (PIN if pinned else -PIN)):
        done = "Pinned: to be reviewed first." if pinned else "No longer pinned."
        LogEntry.objects.log_actions(user.pk, [item], CHANGE, done, single_object=True)
