"""What is to be reviewed first, as one number in the row: the queue is then read by an index.

Pinned before validated before unique before valuable; most valuable are the key files of sources.
The number is gathered again every minute or so, a stretch of the queue at a time; an item that came
meanwhile waits at the end until then.
"""

from collections import defaultdict
from collections.abc import Sequence

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
    Q,
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
    Repository,
    Status,
    ValidationResult,
    Verdict,
)
from curation.review.figures import due

PIN = 1 << 29
VALIDATED = 1 << 25
UNIQUE = 1 << 24
KEY_FILE = 1 << 23
TIER = 1 << 21
STAR = 1 << 13  # for every thousand stars, up to 200
RAREST = STAR - 1
BATCH = 500
STRETCH = 20_000

Model = type[Kernel] | type[Pair]
# What is still to be looked at, and from which key on: the scheduler has other duties beside this.
_ahead: list[tuple[Model, int]] = []


def refresh() -> int:
    """Put right what is out of date, and say how much that was. For the scheduler.

    Looks at one stretch of a long queue; the next call goes on from there.
    """
    if not _ahead:
        if not due("priorities", settings.PRIORITY_SECONDS):
            return 0
        _ahead.extend([(Pair, 0), (Kernel, 0)])
    changed = 0
    while _ahead:
        model, after = _ahead.pop()
        pending = model._default_manager.filter(status=Status.PENDING, pk__gt=after)
        keys = list(pending.order_by("pk").values_list("pk", flat=True)[:STRETCH])
        changed += _put_right(model, keys)
        if len(keys) == STRETCH:
            _ahead.append((model, keys[-1]))
            break
    return changed


def still_ahead() -> bool:
    """Whether the present round has not come to its end."""
    return bool(_ahead)


def _put_right(model: Model, keys: Sequence[int]) -> int:
    """Read without a lock, then write in short transactions: reviewers never wait for this."""
    stale = (
        model._default_manager.filter(status=Status.PENDING, pk__among=keys)
        .annotate(wanted=_wanted(model))
        .exclude(priority=F("wanted"))
        .order_by()
        .values_list("wanted", "pk")
    )
    by_priority: dict[int, list[int]] = defaultdict(list)
    for wanted, pk in stale:
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
    if named := _in_key_files():
        in_key_file = When(Exists(places.filter(named)), then=Value(KEY_FILE))
        worth = worth + Case(in_key_file, default=Value(0))
    if model is Pair:
        return worth
    # What does not stand alone can't leave the house as it is.
    return Case(When(standalone=False, then=Value(-1)), default=worth)


def _in_key_files() -> Q | None:
    """Return the condition on a provenance to stand in a key file, or None if no source has any.

    A key file is a path or a folder followed by `/**`; other globs count for reports only.
    """
    condition = None
    sources = Repository.objects.exclude(key_files=[]).order_by("pk")
    for repository, files in sources.values_list("pk", "key_files"):
        for file in files:
            folder = file.removesuffix("/**")
            if "*" in folder:
                continue
            how = "path" if folder == file else "path__startswith"
            path = file if folder == file else f"{folder}/"
            one = Q(source_file__repository=repository, **{f"source_file__{how}": path})
            condition = one if condition is None else condition | one
    return condition


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
