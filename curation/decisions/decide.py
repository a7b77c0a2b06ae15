"""Decisions on single items. Each changes the item's status, and is stored with its reason."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.utils import timezone

from curation.compiled_queries import compiled_query
from curation.decisions import second_reviews as second
from curation.decisions.actors import acted_by, program_groups
from curation.decisions.requests import made_of, one_decision
from curation.errors import Conflict, CurationError
from curation.models import (
    Actor,
    Claim,
    Correction,
    Decision,
    DecisionReason,
    Kernel,
    Pair,
    Question,
    SecondReview,
    Skip,
    Status,
)
from curation.search.matching import about

Item = Kernel | Pair
UNDOABLE = 20


@dataclass(frozen=True, slots=True)
class ItemClassification:
    """Classification of an item, as far as a person may correct it."""

    operation_type: str
    difficulty: str
    tags: tuple[str, ...]

    @classmethod
    def of(cls, item: Item) -> Self:
        return cls(item.operation_type, item.difficulty, tuple(item.tags))

    def columns(self) -> dict[str, Any]:
        return {
            "operation_type": self.operation_type,
            "difficulty": self.difficulty,
            "tags": list(self.tags),
        }


def check_reasons(status: Status, reasons: Sequence[str], comment: str, *, needed: bool) -> None:
    """Raise CurationError if a reason belongs to another verdict, or if a needed one is missing."""
    if needed and not reasons and not comment.strip():
        raise CurationError("Give a reason: tick one, or write a comment.")
    other = DecisionReason.objects.filter(text__in=reasons).exclude(status=status).first()
    if other:
        verb = "approve" if other.status == Status.APPROVED else "reject"
        raise CurationError(f"“{other}” is a reason to {verb}. Untick it, or {verb}.")


def review(
    *,
    item: Item,
    version: int,
    kind: ItemClassification | None,
    open_claims: Sequence[str] | None = None,
    again: bool = True,
    needs_reason: bool = False,
    **verdict: Any,
) -> Decision | None:
    """Decide on an item. If the person may give a second review, do that and return None.

    again: False if the caller knows that the item has no open second review.
    verdict: the arguments that `decide` and `second_reviews.give` share.
    """
    check_reasons(verdict["status"], verdict["reasons"], verdict["comment"], needed=needs_reason)
    asked = second.asked_for(item, verdict["user"], verdict["request"]) if again else None
    if asked is None:
        return decide(item=item, version=version, kind=kind, open_claims=open_claims, **verdict)
    if not second.give(review=asked, **verdict):
        raise Conflict("Another reviewer has given the second review meanwhile.")
    return None


@one_decision(Decision)
def decide(
    *,
    item: Item,
    status: Status,
    version: int,
    user: User,
    request: uuid.UUID,
    reasons: Sequence[str] = (),
    comment: str = "",
    kind: ItemClassification | None = None,
    open_claims: Sequence[str] | None = None,
) -> Decision:
    """Set an item's status by the decision of a person who saw the item at `version`.

    Idempotent by `request`. `kind` is the classification in the form. If it differs from the
    item's, it is saved as a correction. `open_claims`: the open topics of the claim sheet.
    """
    if isinstance(item, Pair) and item.author_id == user.pk:
        raise Conflict(f"You edited {item} yourself. Another reviewer has to decide on it.")
    decision = Decision(
        **_about(item),
        content_hash=item.content_hash,
        version=version,
        previous_status=item.status,
        status=status,
        reasons=list(reasons),
        comment=comment,
        open_claims=None if open_claims is None else list(open_claims),
        request=request,
    )
    facts = {f"{about(type(item))}_id": item.pk, "version": version, "status": status}
    if earlier := _applied_or_made(decision, item, user, **facts):
        return earlier
    # Query after the update. The update locks the row, so these values can't be stale.
    [around] = _around(type(item), item.pk, timezone.now(), user)
    if around.holder not in (None, user.pk):
        raise Conflict(f"{around.held_by} is reviewing {item} right now. Nothing has changed.")
    for column, value in acted_by(user, around.in_programs).items():
        setattr(decision, column, value)
    decision.save()
    if kind is not None and kind != ItemClassification.of(item):
        _correct(item, kind, user, decision)
    if around.holder:
        Claim.objects.filter(**_about(item)).delete()
    if around.asked_about:
        _answer(item, user, comment)
    if around.skipped:
        Skip.objects.filter(**_about(item)).delete()
    if around.looked_at_again:
        second.close(decision, item)
    second.draw(decision, item)
    return decision


@one_decision(Decision)
def undo(*, decision: Decision, user: User, request: uuid.UUID) -> Decision:
    """Undo one of the user's last decisions by appending a decision that reverses it."""
    facts = {"user_id": user.pk, "undoes_id": decision.pk}
    if earlier := made_of(Decision, request, **facts):
        return earlier
    if not undoable(user).filter(pk=decision.pk).exists():
        raise Conflict(
            f"Only your own last {UNDOABLE} decisions can be undone. Decide again instead."
        )
    item = decision.item
    undoing = undo_of(decision, request=request, **acted_by(user))
    if earlier := _applied_or_made(undoing, item, user, **facts):
        return earlier
    undoing.save()
    correction = Correction.objects.filter(decision=decision).first()
    if correction:
        _correct(
            item,
            ItemClassification(**{**correction.before, "tags": tuple(correction.before["tags"])}),
            user,
            undoing,
        )
    second.close(undoing, item)
    return undoing


def undoable(user: User) -> QuerySet[Decision]:
    """Select those of the user's last single decisions that have not been undone, newest first."""
    own = Decision.objects.filter(user=user, undoes=None, bulk=None)
    newest = own.order_by("-pk").values("pk")[:UNDOABLE]
    rows = Decision.objects.filter(pk__in=list(newest.values_list("pk", flat=True)))
    return rows.filter(undone_by=None).select_related("kernel", "pair").order_by("-pk")


@transaction.atomic
def decide_by_policy(
    *, items: QuerySet[Kernel] | QuerySet[Pair], status: Status, rules: str, comment: str = ""
) -> int:
    """Set the status of all `items` by a policy, and return the number of changed items.

    Items that a person decides on meanwhile are skipped.
    """
    columns = {"status": status, "actor": Actor.POLICY, "rules": rules, "comment": comment}
    return len(apply_all(decisions_on(items, **columns)))


def decisions_on(items: QuerySet[Any], **columns: Any) -> Iterator[Decision]:
    """Yield an unsaved decision on the current version of each item."""
    rows = items.order_by("pk").values_list("pk", "version", "status", "content_hash")
    for pk, version, status, content_hash in rows:
        item = {f"{about(items.model)}_id": pk, "content_hash": content_hash}
        yield Decision(**item, version=version, previous_status=status, **columns)


def undo_of(decision: Decision, **columns: Any) -> Decision:
    """Return an unsaved decision that undoes another."""
    return Decision(
        kernel_id=decision.kernel_id,
        pair_id=decision.pair_id,
        content_hash=decision.content_hash,
        version=decision.version + 1,
        previous_status=decision.status,
        status=decision.previous_status,
        undoes=decision,
        **columns,
    )


def apply_all(decisions: Iterable[Decision]) -> list[Decision]:
    """Apply and save decisions, except those whose item has changed in the meantime."""
    return Decision.objects.bulk_create([row for row in decisions if _applied(row)])


def _applied(decision: Decision) -> bool:
    """Apply a decision by compare-and-set. Return False if the item has changed meanwhile."""
    model: type[Item] = Kernel if decision.kernel_id else Pair
    rows = model._default_manager.filter(
        pk=decision.kernel_id or decision.pair_id,
        version=decision.version,
        status=decision.previous_status,
    )
    columns = {"status": decision.status, "version": F("version") + 1}
    return bool(rows.update(**columns, updated_at=timezone.now()))


def _applied_or_made(
    decision: Decision, item: Item, user: User, **facts: object
) -> Decision | None:
    """Apply a decision and return None, or return the decision that the same request made."""
    if _applied(decision):
        return None
    # Idempotent retry: the same request may already have been processed, or be in progress.
    if earlier := made_of(Decision, decision.request, **{"user_id": user.pk, **facts}):
        return earlier
    newest = item.decisions.select_related("user").first()
    who = f" by {newest.user or newest.rules}" if newest else ""
    item.refresh_from_db(fields=["status"])
    if newest and newest.user == user:
        raise Conflict(f"You have decided on {item} in another tab: it is {item.status} now.")
    raise Conflict(
        f"{item} has changed meanwhile: it is {item.status} now{who}. Check it again, then decide."
    )


@compiled_query
def _around(model: type[Item], /, pk: int, now: datetime, user: User) -> QuerySet[Any]:
    """Select the claim's holder, and whether there are other rows that the decision must update."""
    me = {about(model): OuterRef("pk")}
    claims = Claim.objects.filter(**me, expires_at__gt=now)
    return (
        model._default_manager.filter(pk=pk)
        .only("pk")
        .annotate(
            holder=Subquery(claims.values("user")[:1]),
            held_by=Subquery(claims.values("user__username")[:1]),
            asked_about=Exists(Question.objects.filter(**me, answered_at=None)),
            # A decision deletes the skips of its item.
            skipped=Exists(Skip.objects.filter(**me)),
            in_programs=Exists(program_groups(user)),
            looked_at_again=Exists(SecondReview.objects.filter(**me, state__in=second.OPEN)),
        )
    )


def _correct(item: Item, kind: ItemClassification, user: User, decision: Decision) -> None:
    type(item)._default_manager.filter(pk=item.pk).update(
        **kind.columns(), kind_corrected=decision.undoes_id is None
    )
    Correction.objects.create(
        **_about(item),
        user=user,
        decision=decision,
        before=ItemClassification.of(item).columns(),
        after=kind.columns(),
    )


def _answer(item: Item, user: User, comment: str) -> None:
    """Answer the open question of a decided item."""
    Question.objects.filter(**_about(item), answered_at=None).update(
        answer=comment, answered_by=user, answered_at=timezone.now()
    )


def _about(item: Item) -> dict[str, Any]:
    return {about(type(item)): item}
