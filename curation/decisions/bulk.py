"""Bulk decisions on all items that a filter matches, with one undo for all."""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from curation.decisions import second_reviews as second
from curation.decisions.actors import acted_by
from curation.decisions.decide import apply_all, check_reasons, decisions_on, undo_of
from curation.decisions.requests import same
from curation.errors import Conflict
from curation.models import (
    BulkDecision,
    Claim,
    Decision,
    DuplicateLink,
    Kernel,
    Pair,
    SecondReview,
    Status,
)
from curation.search.filters import Filter
from curation.search.matching import MODELS, Model, about

# Version of each item at the time of the count, by key.
Versions = Mapping[int, int]
BATCH = 200
MOST = 10_000


@dataclass(frozen=True, slots=True)
class Count:
    """The items that a bulk decision would change."""

    kernels: int
    pairs: int
    looked_at: int
    """Number of matching items that are skipped because other people have claimed them."""
    fingerprint: str
    """Hash of the matching items and their versions, equal only for exactly the same items."""

    @property
    def total(self) -> int:
        return self.kernels + self.pairs


def dry_count(filter: Filter, status: Status, user: User) -> Count:
    results = _results(filter, status, user)
    kernels, pairs = (len(result) for result in results)
    looked_at = sum(_looked_at(model, filter, user) for model in MODELS)
    return Count(kernels, pairs, looked_at, _fingerprint(results))


def _looked_at(model: Model, filter: Filter, user: User) -> int:
    claimed = Claim.objects.filter(_live(user)).values(about(model))
    items: QuerySet[Any] = filter.of(model._default_manager.all())
    return items.filter(pk__in=claimed).count()


def dry_counts(filter: Filter, user: User) -> tuple[Count, Count]:
    """Count the changes by approval and by rejection. Both are equal if no match is decided on."""
    approved = dry_count(filter, Status.APPROVED, user)
    if filter.status and not {Status.APPROVED, Status.REJECTED} & set(filter.status):
        return approved, approved
    return approved, dry_count(filter, Status.REJECTED, user)


def decide_all(
    *,
    filter: Filter,
    status: Status,
    user: User,
    request: uuid.UUID,
    counted: str,
    reasons: Sequence[str] = (),
    comment: str = "",
) -> BulkDecision:
    """Decide on exactly the items that were counted, or raise Conflict.

    Idempotent by `request`: a retry finishes an interrupted decision.

    counted: the fingerprint of the count that the person saw.
    """
    check_reasons(status, reasons, comment, needed=True)
    versions: list[Versions] | None = None
    values: dict[str, Any] = {
        "user": user, "status": status, "filter": filter.query(), "reasons": list(reasons),
        "comment": comment,
    }  # fmt: skip
    bulk = BulkDecision.objects.filter(request=request).first()
    if bulk is None:
        results = _results(filter, status, user)
        if _fingerprint(results) != counted:
            raise Conflict(
                "The list has changed since it was counted. Nothing is decided yet: "
                "check the new count, then confirm."
            )
        versions = [dict(result[:MOST]) for result in results]
        bulk, _ = BulkDecision.objects.get_or_create(request=request, defaults=values)
    finish(bulk=same(bulk, **values), counted=versions)
    return bulk


def finish(*, bulk: BulkDecision, counted: Sequence[Versions] | None = None) -> None:
    """Decide in short transactions. Skip items that reviewers decide on meanwhile.

    counted: the counted versions by model. Items with another version are skipped. After a crash it
    is None, and the filter is evaluated again.
    """
    for number, model in enumerate(MODELS):
        versions = counted[number] if counted is not None else None
        pks = list(_remaining(model, bulk) if versions is None else versions)
        for start in range(0, len(pks), BATCH):
            with transaction.atomic():
                if not _goes_on(bulk):
                    break
                chosen = _left(model, bulk).filter(pk__among=pks[start : start + BATCH])
                _decide(chosen, Status(bulk.status), bulk, versions)
    _end(bulk)
    bulk.refresh_from_db()


def _remaining(model: Model, bulk: BulkDecision) -> QuerySet[Any, int]:
    left = MOST - bulk.decisions.filter(**{f"{about(model)}__isnull": False}).count()
    return _left(model, bulk).order_by("pk").values_list("pk", flat=True)[:left]


def _results(filter: Filter, status: Status, user: User) -> list[list[tuple[int, int]]]:
    """Return the key and version of the items to decide on, per model at most MOST + 1."""
    return [
        list(
            _open(model, filter, status, user)
            .order_by("pk")
            .values_list("pk", "version")[: MOST + 1]
        )
        for model in MODELS
    ]


def _fingerprint(results: Sequence[Sequence[tuple[int, int]]]) -> str:
    return hashlib.sha256(json.dumps(results).encode()).hexdigest()


def decide_cluster(*, item: Kernel | Pair, user: User, request: uuid.UUID) -> BulkDecision:
    """Approve the representative of a cluster, and reject its near-duplicates."""
    model = type(item)
    links = DuplicateLink.objects.filter(**{f"of_{about(model)}": item}).values(about(model))
    values = {"status": Status.APPROVED, "filter": "", "comment": f"The cluster of {item}"}
    with transaction.atomic():
        bulk, created = BulkDecision.objects.get_or_create(
            request=request, defaults={"user": user, **values}
        )
        same(bulk, user=user, **values)
        if created:
            for status, pks in ((Status.APPROVED, [item.pk]), (Status.REJECTED, links)):
                items = model._default_manager.filter(pk__in=pks)
                _decide(_free(items, status, user), status, bulk)
            _end(bulk)
    bulk.refresh_from_db()
    return bulk


def undo_all(*, bulk: BulkDecision, user: User) -> int:
    """Undo a bulk decision, except on items with a newer decision.

    If the bulk decision is in progress, it is stopped. If this undo is interrupted, call it again.
    """
    _end(bulk)
    actor, undone = acted_by(user), 0
    rows = list(bulk.decisions.filter(undoes=None, undone_by=None).order_by("pk"))
    for start in range(0, len(rows), BATCH):
        with transaction.atomic():
            some = rows[start : start + BATCH]
            undone += len(apply_all(undo_of(row, **actor, bulk=bulk) for row in some))
    BulkDecision.objects.filter(pk=bulk.pk, undone_at=None).update(undone_at=timezone.now())
    return undone


def _goes_on(bulk: BulkDecision) -> bool:
    """Return True if `bulk` has not ended. Its row stays locked until the transaction ends."""
    unfinished = BulkDecision.objects.filter(pk=bulk.pk, finished_at=None)
    return unfinished.select_for_update(no_key=True).first() is not None


def _end(bulk: BulkDecision) -> None:
    BulkDecision.objects.filter(pk=bulk.pk, finished_at=None).update(finished_at=timezone.now())


def _decide(
    items: QuerySet[Any], status: Status, bulk: BulkDecision, counted: Versions | None = None
) -> None:
    columns = {"bulk": bulk, "reasons": bulk.reasons, "comment": bulk.comment}
    made = apply_all(
        row
        for row in decisions_on(items, status=status, **acted_by(bulk.user), **columns)
        if counted is None or counted[row.kernel_id or row.pair_id or 0] == row.version
    )
    BulkDecision.objects.filter(pk=bulk.pk).update(count=F("count") + len(made))


def _left(model: Model, bulk: BulkDecision) -> QuerySet[Any]:
    """Return the remaining items: older than the request, and without a decision since then."""
    items = _open(model, Filter.from_query(bulk.filter), Status(bulk.status), bulk.user)
    since = Decision.objects.filter(
        created_at__gte=bulk.created_at, **{about(model): OuterRef("pk")}
    )
    return items.filter(~Exists(since), created_at__lte=bulk.created_at)


def _open(model: Model, filter: Filter, status: Status, user: User) -> QuerySet[Any]:
    items: QuerySet[Any] = filter.of(model._default_manager.all())
    return _free(items, status, user)


def _free(items: QuerySet[Any], status: Status, user: User) -> QuerySet[Any]:
    """Select the `items` that a bulk decision to `status` would change.

    An item with an open second review or dispute is left out. Otherwise the count would reveal the
    first verdict to the second reviewer. A dispute needs a person who has seen both verdicts.
    """
    items = items.exclude(status__in=(status, Status.RETIRED))
    reviews = SecondReview.objects.filter(
        state__in=second.OPEN, **{about(items.model): OuterRef("pk")}
    )
    items = items.exclude(Exists(reviews))
    looked_at = Claim.objects.filter(_live(user), **{about(items.model): OuterRef("pk")})
    items = items.exclude(Exists(looked_at))
    return items.exclude(author=user) if items.model is Pair else items


def _live(user: User) -> Q:
    return Q(expires_at__gt=timezone.now()) & ~Q(user=user)
