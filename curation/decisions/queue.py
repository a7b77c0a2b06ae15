"""Review queue: gives each item to one person at a time, and never to its author.

First come items that the person has claimed. Then follow disputes of other people (for curators),
items that the person was asked about, second reviews, pending items by priority, and skipped items.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime
from itertools import compress
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from curation.compiled_queries import compiled_query
from curation.decisions import second_reviews as second
from curation.decisions.claims import take
from curation.models import (
    Agreement,
    Claim,
    Kernel,
    Pair,
    Question,
    SecondReview,
    Skip,
    Status,
)
from curation.search.filters import Filter
from curation.search.matching import MODELS, Model, about

Item = Kernel | Pair
# Number of items that are tried one by one before the queue counts as empty.
LAST_LOOK = 20
TRIES = 50


def next_item(user: User, filter: Filter | None = None, leave: Item | None = None) -> Item | None:
    """Claim the next item for `user`, or return None. The item `leave` is not offered again."""
    filter = filter or Filter()
    # SQLite has no row locks. A transaction would block all other writers during the search.
    looking = transaction.atomic if connection.features.has_select_for_update else nullcontext
    for _ in range(TRIES):
        with looking():
            item = next(_candidates(user, filter, leave), None)
            if item is None:
                return None
            claim = take(item, user)
            if claim is None:
                continue
            if _at_version(type(item), item.pk, item.version):
                return item
            # The item has changed since the query.
            Claim.objects.filter(token=claim.token).delete()
    return None


@compiled_query
def _at_version(model: Model, /, pk: int, version: int) -> QuerySet[Any, tuple[int]]:
    return model._default_manager.filter(pk=pk, version=version).values_list("pk")


def waiting(user: User, most: int, filter: Filter | None = None) -> int:
    """Count the waiting items, up to `most`. With a filter, skipped items are left out."""
    return len(_waiting(most, filter or Filter(), user, timezone.now()))


@compiled_query
def _waiting(most: int, filter: Filter, /, user: User, now: datetime) -> QuerySet[Any, tuple[int]]:
    free = {model: _free(model, filter, user, now) for model in MODELS}
    if filter:
        free = {model: items.exclude(_skips(model, user)) for model, items in free.items()}
    kernels, pairs = (items.order_by().values_list("pk") for items in free.values())
    return kernels.union(pairs, all=True)[:most]


def _candidates(user: User, filter: Filter, leave: Item | None) -> Iterator[Item]:
    # The first sources are mostly empty. One query finds those that may have an item.
    [there] = _first_of_all(user, timezone.now())
    sources = compress((_held, _disputes, _asked, _second_looks), there)
    for source in (*sources, _unseen, _skipped, *compress((_skipped_disputes,), there[1:2])):
        for item in source(user, filter):
            if item != leave:
                yield item


@compiled_query
def _first_of_all(user: Any, now: datetime) -> QuerySet[User, tuple[bool, ...]]:
    """Select, for each of the first sources, whether it may have an item for the person."""
    return User.objects.filter(pk=user).values_list(
        Exists(Claim.objects.filter(user=user, expires_at__gt=now)),
        Exists(_disputes_for(user)),
        Exists(Question.objects.filter(asked=user, answered_at=None)),
        Exists(_second_looks_of(user, now)),
    )


def _held(user: User, filter: Filter) -> Iterator[Item]:
    for claim in Claim.objects.filter(user=user, expires_at__gt=timezone.now()).order_by("-pk")[:5]:
        yield from _fitting(claim, user, filter)


def _disputes(user: User, filter: Filter, skipped: bool = False) -> Iterator[Item]:
    if user.has_perm(second.SETTLE):
        for model in MODELS:
            yield from _disputed(model, filter, skipped, user, timezone.now())


def _skipped_disputes(user: User, filter: Filter) -> Iterator[Item]:
    return _disputes(user, filter, skipped=True)


def _disputed(
    model: Model, filter: Filter, skipped: bool, user: User, now: datetime
) -> QuerySet[Any]:
    name = about(model)
    disputes = _disputes_for(user).filter(**{f"{name}__isnull": False})
    items = _free(model, filter, user, now, pending=False).filter(pk__in=disputes.values(name))
    items = items.filter(_skips(model, user)) if skipped else items.exclude(_skips(model, user))
    return items.exclude(status=Status.RETIRED).order_by("pk")[:LAST_LOOK]


def _disputes_for(user: User) -> QuerySet[SecondReview]:
    """Select the disputes between two other people."""
    rows = second.for_people(SecondReview.objects.filter(state=Agreement.DISPUTED), user)
    return rows.exclude(Q(first__user=user) | Q(user=user)).order_by()


def _asked(user: User, filter: Filter) -> Iterator[Item]:
    for question in Question.objects.filter(asked=user, answered_at=None).order_by("pk")[:20]:
        yield from _fitting(question, user, filter)


def _second_looks(user: User, filter: Filter) -> Iterator[Item]:
    # Such a filter would reveal the first verdict to the second reviewer.
    if second.tells(filter):
        return
    for review in _second_looks_of(user, timezone.now()).order_by("pk")[:5]:
        yield from _fitting(review, user, filter, pending=False)


def _second_looks_of(user: User, now: datetime) -> QuerySet[SecondReview]:
    rows = second.waiting_of(user)
    for name in map(about, MODELS):
        me = {name: OuterRef(name)}
        rows = rows.exclude(Exists(Skip.objects.filter(user=user, **me)))
        rows = rows.exclude(Exists(_claims_of_others(user, now, **me)))
    return rows


def _unseen(user: User, filter: Filter) -> Iterator[Item]:
    """Yield the best kernels and pairs, by priority.

    Concurrent requests skip each other's locked rows, if the database supports it. If other
    requests have locked all remaining rows, the second try includes locked rows.
    """
    for most, skip_locked in ((2, True), (LAST_LOOK, False)):
        best = [
            item
            for model in MODELS
            for item in _best(model, filter, most, skip_locked, user, timezone.now())
        ]
        yield from sorted(best, key=lambda item: -item.priority)


@compiled_query
def _best(
    model: Model, filter: Filter, most: int, skip_locked: bool, /, user: User, now: datetime
) -> QuerySet[Any]:
    """Select the best items. If `skip_locked`, leave out rows that other requests have locked.

    A claim refers to the row's key. Without `no_key`, its insert would wait for the lock.
    """
    items = _free(model, filter, user, now).exclude(_skips(model, user)).order_by("-priority", "pk")
    if skip_locked:
        items = items.select_for_update(skip_locked=True, of=("self",), no_key=True)
    return items[:most]


def _skipped(user: User, filter: Filter) -> Iterator[Item]:
    for skip in Skip.objects.filter(user=user).order_by("pk")[:100]:
        yield from _fitting(skip, user, filter)


def _fitting(
    row: Claim | Question | SecondReview | Skip, user: User, filter: Filter, pending: bool = True
) -> Iterator[Item]:
    """Yield the item that a row refers to, if `user` may still review it."""
    model: Model = Kernel if row.kernel_id else Pair
    pk = row.kernel_id or row.pair_id or 0
    yield from _free_item(model, filter, pending, user, timezone.now(), pk)


@compiled_query
def _free_item(
    model: Model, filter: Filter, pending: bool, /, user: User, now: datetime, pk: int
) -> QuerySet[Any]:
    return _free(model, filter, user, now, pending).filter(pk=pk)


def _free(
    model: Model, filter: Filter, user: User, now: datetime, pending: bool = True
) -> QuerySet[Any]:
    """Select items that the user may review. pending: only pending items without a newer version.

    Excluded are the user's pairs, items that another person has claimed, and items with an open
    question that the user asked or that is addressed to another person.
    """
    this_item = {about(model): OuterRef("pk")}
    for_others = Question.objects.filter(answered_at=None, **this_item).filter(
        Q(asker=user) | (Q(asked__isnull=False) & ~Q(asked=user))
    )
    rows: QuerySet[Any] = model._default_manager.without_sources()
    free = rows.exclude(Exists(_claims_of_others(user, now, **this_item))).exclude(
        Exists(for_others)
    )
    items = filter.of(free)
    if model is Pair:
        items = items.exclude(author=user)
    newer = model._default_manager.filter(previous=OuterRef("pk"), status=Status.PENDING)
    return items.filter(~Exists(newer), status=Status.PENDING) if pending else items


def _skips(model: Model, user: User) -> Exists:
    return Exists(Skip.objects.filter(user=user, **{about(model): OuterRef("pk")}))


def _claims_of_others(user: User, now: datetime, **about: Any) -> QuerySet[Claim]:
    return Claim.objects.filter(expires_at__gt=now, **about).exclude(user=user)
