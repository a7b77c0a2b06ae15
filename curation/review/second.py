"""Second reviews: a sample of decisions is looked at again by somebody who does not see the first.

The sample is drawn by the content's hash, so that nobody can tell or choose beforehand.
"""

import uuid
from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from curation.matching import about
from curation.models import (
    Actor,
    Agreement,
    Claim,
    Decision,
    Kernel,
    Pair,
    Repository,
    SecondReview,
    Status,
)
from curation.prepared import prepared

Item = Kernel | Pair
OPEN = (Agreement.WAITING, Agreement.DISPUTED)
EVERY = "*"


def waiting_for(item: Item, user: User) -> SecondReview | None:
    """The second review of `item` that `user` may give: the page is then blind."""
    return _waiting.first(type(item), item, user)


@prepared
def _waiting(model: type[Item], /, item: Item, user: User) -> QuerySet[SecondReview]:
    reviews = SecondReview.objects.filter(**{about(model): item}, state=Agreement.WAITING)
    return reviews.exclude(first__user=user).select_related("first")[:1]


def asked_for(item: Item, user: User, request: uuid.UUID) -> SecondReview | None:
    """The second review that a word on `item` is about, also when it is delivered again."""
    return waiting_for(item, user) or _given.first(request, user)


@prepared
def _given(request: uuid.UUID, user: User) -> QuerySet[SecondReview]:
    """What `user` has given before, when the same wish is delivered again."""
    return SecondReview.objects.filter(request=request, user=user).select_related("first")[:1]


@transaction.atomic
def give(
    *,
    review: SecondReview,
    status: Status,
    user: User,
    request: uuid.UUID,
    reasons: Sequence[str] = (),
    comment: str = "",
) -> bool:
    """Write the second word down; False: it was given, or has become pointless, before."""
    agreed = status == review.first.status
    open_ = SecondReview.objects.filter(pk=review.pk, state=Agreement.WAITING)
    given = open_.exclude(first__user=user).update(
        state=Agreement.AGREED if agreed else Agreement.DISPUTED,
        user=user,
        status=status,
        reasons=list(reasons),
        comment=comment,
        request=request,
        given_at=timezone.now(),
    )
    Claim.objects.filter(kernel=review.kernel, pair=review.pair, user=user).delete()
    return bool(given) or SecondReview.objects.filter(request=request, user=user).exists()


def close(decision: Decision, item: Item) -> None:
    """Once a person has decided, what was open about the item is settled or has no point."""
    subject = {about(type(item)): item}
    closed = SecondReview.objects.filter(**subject, state=Agreement.DISPUTED).exclude(
        Q(first__user=decision.user) | Q(user=decision.user)
    )
    if decision.undoes_id is None:
        closed.update(state=Agreement.SETTLED, settled_by=decision)
    SecondReview.objects.filter(**subject, state__in=OPEN).update(state=Agreement.VOID)


def draw(decision: Decision, item: Item) -> None:
    """Perhaps ask for a second look at what was decided."""
    if decision.previous_status == Status.PENDING and _drawn(decision, item):
        SecondReview.objects.create(**{about(type(item)): item}, first=decision)


def _drawn(decision: Decision, item: Item) -> bool:
    if decision.actor != Actor.PERSON or decision.undoes_id or decision.bulk_id:
        return False
    percents = settings.SECOND_REVIEW_PERCENT
    if not any(percents.values()):
        return False
    draw = int(item.content_hash[:8], 16) / 2**32 * 100
    if set(percents) == {EVERY}:
        return bool(draw < percents[EVERY])
    return bool(
        draw
        < max(
            (percents.get(name, percents.get(EVERY, 0)) for name in _categories(item)),
            default=percents.get(EVERY, 0),
        )
    )


def _categories(item: Item) -> list[str]:
    kernel = item if isinstance(item, Kernel) else item.kernel
    places = Repository.objects.filter(files__provenances__kernel=kernel)
    return list(places.order_by().values_list("category", flat=True).distinct()) if kernel else []
