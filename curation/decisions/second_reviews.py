"""Second reviews: a sample of decisions is reviewed again, blind, by another person.

The content's hash draws the sample, so that no reviewer can predict or choose it. A second review
that differs from the first is a dispute. A curator who is not involved settles it.
"""

import uuid
from collections.abc import Collection, Sequence
from datetime import timedelta
from enum import StrEnum

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from curation.decisions.actors import is_marked, program_groups
from curation.decisions.notices import notify_of_dispute
from curation.decisions.requests import made_of, one_decision
from curation.errors import Conflict
from curation.models import (
    Actor,
    Agreement,
    Claim,
    Decision,
    Kernel,
    Notice,
    Pair,
    Repository,
    SecondReview,
    Status,
)
from curation.search.filters import Filter
from curation.search.matching import about

Item = Kernel | Pair
OPEN = (Agreement.WAITING, Agreement.DISPUTED)
EVERY = "*"
SETTLE = "curation.change_secondreview"
# Time in which a second review can be withdrawn, to correct a wrong key press.
WITHDRAWABLE = timedelta(minutes=1)
# Filter keys that reveal the decision on an item.
TELLING = ("status", "reviewer", "decided")


class Visibility(StrEnum):
    """Visibility of an item's open second review to one person."""

    BLIND = "blind"
    """The person may give the second review, and must not see the decision."""
    DISPUTED = "disputed"


def waiting_for(item: Item, user: User) -> SecondReview | None:
    """Return the second review of `item` that `user` may give. Its page hides the decision."""
    return waiting_of(user).filter(**{about(type(item)): item}).select_related("first").first()


def waiting_of(user: User) -> QuerySet[SecondReview]:
    """Select the second reviews that `user` may give, except on the user's decisions and pairs.

    A program can't give one, because a second review needs a second person.
    """
    rows = for_people(SecondReview.objects.filter(state=Agreement.WAITING), user)
    return rows.exclude(first__user=user).exclude(pair__author=user)


def for_people(rows: QuerySet[SecondReview], user: User) -> QuerySet[SecondReview]:
    """Return `rows`, or no rows if the user is a program."""
    rows = rows.exclude(Exists(program_groups(user)))
    return rows.filter(pk__lt=0) if is_marked(user) else rows


def asked_for(item: Item, user: User, request: uuid.UUID) -> SecondReview | None:
    """Return the second review of `item` that `request` gives or, on a retry, has given already."""
    me = {f"{about(type(item))}_id": item.pk}
    return waiting_for(item, user) or made_of(SecondReview, request, user_id=user.pk, **me)


@one_decision(SecondReview)
def give(
    *,
    review: SecondReview,
    status: Status,
    user: User,
    request: uuid.UUID,
    reasons: Sequence[str] = (),
    comment: str = "",
) -> bool:
    """Save the second verdict. Return False if the review has been given, or has become void."""
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
    if given and not agreed:
        both = [key for key in (review.first.user_id, user.pk) if key]
        notify_of_dispute(review.item, both, f"dispute-{review.pk}")
    facts = {"pk": review.pk, "user_id": user.pk, "status": status}
    return bool(given or made_of(SecondReview, request, **facts))


def withdrawable(user: User) -> SecondReview | None:
    """Return the second review that `user` gave last, if it can still be withdrawn."""
    rows = SecondReview.objects.filter(
        user=user,
        state__in=(Agreement.AGREED, Agreement.DISPUTED),
        given_at__gte=timezone.now() - WITHDRAWABLE,
    )
    newest = rows.select_related("first", "kernel", "pair").order_by("-given_at").first()
    is_current = newest is not None and newest.item.version == newest.first.version + 1
    return newest if is_current else None


def withdraw(review: SecondReview) -> None:
    """Withdraw a given second review, and delete the notices of its dispute."""
    rows = SecondReview.objects.filter(pk=review.pk, state=review.state, given_at=review.given_at)
    if not rows.update(
        state=Agreement.WAITING, user=None, status="", reasons=[], comment="", request=None,
        given_at=None,
    ):  # fmt: skip
        raise Conflict(f"The dispute on {review.item} was settled meanwhile.")
    Notice.objects.filter(event=f"dispute-{review.pk}").delete()


def blind(model: type[Item], user: User, item: str = "pk") -> Exists:
    """Return a condition: `user` may give the second review, so the decision must be hidden.

    item: the column that refers to the item of `model`.
    """
    return Exists(waiting_of(user).filter(**{about(model): OuterRef(item)}))


def tells(filter: Filter) -> bool:
    """Return True if the fact that an item matches `filter` reveals the decision on it."""
    return any(getattr(filter, key) for key in TELLING)


def visibilities(model: type[Item], pks: Collection[int], user: User) -> dict[int, Visibility]:
    """Return the visibility of each item that has an open second review."""
    name = about(model)
    rows = SecondReview.objects.filter(state=Agreement.DISPUTED) | waiting_of(user)
    states = rows.filter(**{f"{name}__among": pks}).values_list(f"{name}_id", "state")
    return {
        pk: Visibility.BLIND if state == Agreement.WAITING else Visibility.DISPUTED
        for pk, state in states
    }


def given(item: Item) -> QuerySet[SecondReview]:
    """Select the given second reviews of `item`, newest first, with both verdicts."""
    rows = SecondReview.objects.filter(**{about(type(item)): item}, given_at__isnull=False)
    both = rows.exclude(state=Agreement.VOID).select_related("first__user", "user")
    return both.select_related("settled_by__user")


def refusal(review: SecondReview, user: User) -> str:
    """Return the reason why `user` may not settle this dispute, or an empty text."""
    if user.pk in (review.first.user_id, review.user_id):
        return (
            f"You are one of the two reviewers who disagree on {review.item}. "
            "A curator who is neither has to settle it."
        )
    if not user.has_perm(SETTLE):
        return f"Two reviewers disagree on {review.item}. A curator has to settle it."
    return ""


def close(decision: Decision, item: Item) -> None:
    """Close the open second reviews of `item` after a person's decision on it.

    Raise Conflict if there is a dispute that the person may not settle. Without this check, one of
    the two reviewers could end it by a new decision, or by undoing the first one.
    """
    reviews = SecondReview.objects.filter(**{about(type(item)): item})
    # This update comes first. It waits for a concurrent second review, which may create a dispute.
    waits = reviews.filter(state=Agreement.WAITING).update(state=Agreement.VOID)
    if decision.actor == Actor.PROGRAM and waits:
        raise Conflict(f"A second review of {item} is open. A person has to give it.")
    for review in reviews.filter(state=Agreement.DISPUTED).select_related("first"):
        assert decision.user is not None, "policies close nothing"  # noqa: S101
        if decision.actor == Actor.PROGRAM:
            raise Conflict(f"Two reviewers disagree on {review.item}. A person has to settle it.")
        if problem := refusal(review, decision.user):
            raise Conflict(problem)
        reviews.filter(pk=review.pk).update(state=Agreement.SETTLED, settled_by=decision)
    if decision.undoes_id:
        settled = reviews.filter(settled_by=decision.undoes_id)
        settled.update(state=Agreement.DISPUTED, settled_by=None)


def draw(decision: Decision, item: Item) -> None:
    """Request a second review of a person's decision on a pending item, if the sample has it."""
    if decision.previous_status == Status.PENDING and _drawn(decision, item):
        SecondReview.objects.create(**{about(type(item)): item}, first=decision)


def _drawn(decision: Decision, item: Item) -> bool:
    percents: dict[str, float] = settings.SECOND_REVIEW_PERCENT
    if decision.actor != Actor.PERSON or not any(percents.values()):
        return False
    otherwise = percents.get(EVERY, 0)
    names = _categories(item) if set(percents) != {EVERY} else []
    percent = max((percents.get(name, otherwise) for name in names), default=otherwise)
    return int(item.content_hash[:8], 16) / 2**32 * 100 < percent


def _categories(item: Item) -> list[str]:
    kernel = item if isinstance(item, Kernel) else item.kernel
    places = Repository.objects.filter(files__provenances__kernel=kernel)
    return list(places.order_by().values_list("category", flat=True).distinct()) if kernel else []
