"""One decision on all that a filter finds, and one undo for all of it."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from curation.errors import CurationError
from curation.filters import Filter
from curation.matching import about
from curation.models import (
    BulkDecision,
    Claim,
    Decision,
    DuplicateLink,
    Kernel,
    Pair,
    Status,
)

Model = type[Kernel] | type[Pair]
MODELS: tuple[Model, ...] = (Kernel, Pair)
BATCH = 200
MOST = 10_000


@dataclass(frozen=True, slots=True)
class Count:
    """What a bulk decision would change, before it does."""

    kernels: int
    pairs: int
    looked_at: int

    @property
    def total(self) -> int:
        return self.kernels + self.pairs


def dry_count(filter: Filter, status: Status, user: User) -> Count:
    kernels, pairs = (_open(model, filter, status, user)[: MOST + 1].count() for model in MODELS)
    return Count(kernels, pairs, Claim.objects.filter(_live(user)).count())


def decide_all(
    *,
    filter: Filter,
    status: Status,
    user: User,
    request: uuid.UUID,
    reasons: Sequence[str] = (),
    comment: str = "",
) -> BulkDecision:
    """The same request sent again decides once, and finishes what an end in the middle left."""
    if not reasons and not comment:
        raise CurationError("A decision on many needs a reason. Choose one or write a comment.")
    bulk, _ = BulkDecision.objects.get_or_create(
        request=request,
        defaults={
            "user": user,
            "status": status,
            "filter": filter.query(),
            "reasons": list(reasons),
            "comment": comment,
        },
    )
    finish(bulk=bulk)
    return bulk


def finish(*, bulk: BulkDecision) -> None:
    """Short transactions, so that reviewers go on meanwhile; what they decide first is theirs."""
    for model in MODELS:
        left = MOST - bulk.decisions.filter(**{f"{about(model)}__isnull": False}).count()
        pks = list(_left(model, bulk).order_by("pk").values_list("pk", flat=True)[:left])
        for start in range(0, len(pks), BATCH):
            with transaction.atomic():
                if not _goes_on(bulk):
                    break
                chosen = _left(model, bulk).filter(pk__among=pks[start : start + BATCH])
                _decide(chosen, Status(bulk.status), bulk)
    _end(bulk)
    bulk.refresh_from_db()


def decide_cluster(*, item: Kernel | Pair, user: User, request: uuid.UUID) -> BulkDecision:
    """Approve what stands for a cluster, reject the rest."""
    model = type(item)
    links = DuplicateLink.objects.filter(**{f"of_{about(model)}": item}).values(about(model))
    said = {"status": Status.APPROVED, "filter": "", "comment": f"The cluster of {item}"}
    with transaction.atomic():
        bulk, made = BulkDecision.objects.get_or_create(
            request=request, defaults={"user": user, **said}
        )
        if made:
            for status, pks in ((Status.APPROVED, [item.pk]), (Status.REJECTED, links)):
                items = model._default_manager.filter(pk__in=pks)
                _decide(_free(items, status, user), status, bulk)
            _end(bulk)
    bulk.refresh_from_db()
    return bulk


def undo_all(*, bulk: BulkDecision, user: User) -> int:
    """Take the whole back; what somebody has decided on since stays as they decided.

    It ends what still decides, and may itself be cut off: asked again, it takes back the rest.
    """
    _end(bulk)
    undone = 0
    rows = list(bulk.decisions.filter(undoes=None, undone_by=None).order_by("pk"))
    for start in range(0, len(rows), BATCH):
        with transaction.atomic():
            undoings = [_undoing(row, user, bulk) for row in rows[start : start + BATCH]]
            made = Decision.objects.bulk_create(row for row in undoings if row)
            undone += len(made)
    BulkDecision.objects.filter(pk=bulk.pk, undone_at=None).update(undone_at=timezone.now())
    return undone


def _undoing(row: Decision, user: User, bulk: BulkDecision) -> Decision | None:
    model: Model = Kernel if row.kernel_id else Pair
    mine = model._default_manager.filter(
        pk=row.kernel_id or row.pair_id, version=row.version + 1, status=row.status
    )
    if not mine.update(
        status=row.previous_status, version=F("version") + 1, updated_at=timezone.now()
    ):
        return None
    return Decision(
        kernel_id=row.kernel_id,
        pair_id=row.pair_id,
        content_hash=row.content_hash,
        version=row.version + 1,
        status=row.previous_status,
        previous_status=row.status,
        user=user,
        undoes=row,
        bulk=bulk,
    )


def _goes_on(bulk: BulkDecision) -> bool:
    """Whether it has not been ended. While this transaction lasts, nobody ends it or goes on."""
    mine = BulkDecision.objects.filter(pk=bulk.pk, finished_at=None)
    return mine.select_for_update(no_key=True).first() is not None


def _end(bulk: BulkDecision) -> None:
    BulkDecision.objects.filter(pk=bulk.pk, finished_at=None).update(finished_at=timezone.now())


def _decide(items: QuerySet[Any], status: Status, bulk: BulkDecision) -> None:
    locked = items.order_by("pk").select_for_update(of=("self",), no_key=True)
    seen = list(locked.values_list("pk", "version", "status", "content_hash"))
    alike: dict[tuple[int, str], list[int]] = defaultdict(list)
    for pk, version, previous, _ in seen:
        alike[version, previous].append(pk)
    for (version, previous), pks in alike.items():
        items.model._default_manager.filter(pk__among=pks, version=version, status=previous).update(
            status=status, version=F("version") + 1, updated_at=timezone.now()
        )
    Decision.objects.bulk_create(
        Decision(
            **{f"{about(items.model)}_id": pk},
            content_hash=content_hash,
            version=version,
            previous_status=previous,
            status=status,
            user=bulk.user,
            bulk=bulk,
            reasons=bulk.reasons,
            comment=bulk.comment,
        )
        for pk, version, previous, content_hash in seen
    )
    BulkDecision.objects.filter(pk=bulk.pk).update(count=F("count") + len(seen))


def _left(model: Model, bulk: BulkDecision) -> QuerySet[Any]:
    """Still to be decided on: what was there when it was asked for, and not decided on since."""
    items = _open(model, Filter.from_query(bulk.filter), Status(bulk.status), bulk.user)
    since = Decision.objects.filter(
        created_at__gte=bulk.created_at, **{about(model): OuterRef("pk")}
    )
    return items.filter(~Exists(since), created_at__lte=bulk.created_at)


def _open(model: Model, filter: Filter, status: Status, user: User) -> QuerySet[Any]:
    items: QuerySet[Any] = filter.of(model._default_manager.all())
    return _free(items, status, user)


def _free(items: QuerySet[Any], status: Status, user: User) -> QuerySet[Any]:
    """Not yet so, not retired, not one's own work, and nobody is looking at it."""
    items = items.exclude(status__in=(status, Status.RETIRED))
    looked_at = Claim.objects.filter(_live(user), **{about(items.model): OuterRef("pk")})
    items = items.exclude(Exists(looked_at))
    return items.exclude(author=user) if items.model is Pair else items


def _live(user: User) -> Q:
    return Q(expires_at__gt=timezone.now()) & ~Q(user=user)
