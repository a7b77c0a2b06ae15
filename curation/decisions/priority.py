"""Review priority as a number in the row, so that the queue is read from an index.

Pinned items come first, then validated items, then unique items, then items of high value (items in
key files of sources have the highest). About once a minute, the scheduler recomputes the numbers of
a part of the queue. Until then, a new item is at the end.
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

from curation.decisions.figures import due
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
from curation.search.matching import Model, about

PIN = 1 << 29
VALIDATED = 1 << 25
UNIQUE = 1 << 24
KEY_FILE = 1 << 23
TIER = 1 << 21
STAR = 1 << 13  # for every thousand stars, up to 200
RAREST = STAR - 1
BATCH = 500
STRETCH = 20_000

# Parts of the queue that this round still has to recompute: model, and key to continue after.
_ahead: list[tuple[Model, int]] = []


def refresh() -> int:
    """Scheduled task: update stale priorities of a part of the queue. Return how many changed.

    The next call continues after this part.
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
    """Return True if the current round of recomputation is not complete."""
    return bool(_ahead)


def _put_right(model: Model, keys: Sequence[int]) -> int:
    """Update priorities of these items: read without a lock, then write in short transactions."""
    stale = (
        model._default_manager.filter(status=Status.PENDING, pk__among=keys)
        .annotate(target=_target(model))
        .exclude(priority=F("target"))
        .order_by()
        .values_list("target", "pk")
    )
    by_priority: dict[int, list[int]] = defaultdict(list)
    for target, pk in stale:
        by_priority[target].append(pk)
    for target, pks in by_priority.items():
        for start in range(0, len(pks), BATCH):
            model._default_manager.filter(pk__among=pks[start : start + BATCH]).update(
                priority=Case(
                    When(pinned=True, then=Value(target | PIN)), default=Value(target & ~PIN)
                )
            )
    return sum(map(len, by_priority.values()))


def _target(model: Model) -> models.Expression:
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
    """Compute an item's value by its key files, its best repository and its operation's rarity."""
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
    # A kernel that is not standalone can't be exported as it is.
    return Case(When(standalone=False, then=Value(-1)), default=worth)


def _in_key_files() -> Q | None:
    """Return the condition that a provenance is in a key file, or None if no source has key files.

    A key file is listed by its path, or by a folder and `/**`. Other globs count for reports only.
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
    """Move an item to the front of the queue, or to its old position. The action is logged."""
    moved = type(item)._default_manager.filter(pk=item.pk, pinned=not pinned)
    if moved.update(pinned=pinned, priority=F("priority") + (PIN if pinned else -PIN)):
        done = "Pinned to the front of the queue." if pinned else "No longer pinned."
        LogEntry.objects.log_actions(user.pk, [item], CHANGE, done, single_object=True)
