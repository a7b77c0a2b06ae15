"""Writing decisions: the one place where a status changes, each time with a row that says why."""

import uuid
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from curation.errors import CurationError
from curation.models import Actor, Decision, Kernel, Pair, Status


class StaleItem(CurationError):
    """Somebody decided on the item since the page was made."""


@transaction.atomic
def decide(
    *,
    item: Kernel | Pair,
    status: Status,
    version: int,
    user: User,
    request: uuid.UUID,
    reasons: Sequence[str] = (),
    comment: str = "",
) -> Decision:
    """Set an item's status on the word of a person who saw it at `version`.

    `request` names the wish: delivered twice, it decides once.
    """
    previous = item.status
    moved = (
        type(item)
        ._default_manager.filter(pk=item.pk, version=version, status=previous)
        .update(status=status, version=F("version") + 1, updated_at=timezone.now())
    )
    if not moved:
        if earlier := Decision.objects.filter(request=request, user=user).first():
            return earlier
        raise StaleItem(_what_happened(item))
    return Decision.objects.create(
        kernel=item if isinstance(item, Kernel) else None,
        pair=item if isinstance(item, Pair) else None,
        content_hash=item.content_hash,
        version=version,
        previous_status=previous,
        status=status,
        actor=Actor.PERSON,
        user=user,
        reasons=list(reasons),
        comment=comment,
        request=request,
    )


@transaction.atomic
def decide_by_policy(
    *, items: QuerySet[Kernel] | QuerySet[Pair], status: Status, rules: str, comment: str = ""
) -> int:
    """Set the status of all `items` on the word of a rule, and say how many that were.

    An item that somebody decides on meanwhile is left to them.
    """
    seen = list(items.order_by().values_list("pk", "version", "status", "content_hash"))
    about = "kernel_id" if items.model is Kernel else "pair_id"
    decisions = []
    for pk, version, previous, content_hash in seen:
        moved = items.model._default_manager.filter(pk=pk, version=version).update(
            status=status, version=F("version") + 1, updated_at=timezone.now()
        )
        if moved:
            decisions.append(
                Decision(
                    **{about: pk},
                    content_hash=content_hash,
                    version=version,
                    previous_status=previous,
                    status=status,
                    actor=Actor.POLICY,
                    rules=rules,
                    comment=comment,
                )
            )
    Decision.objects.bulk_create(decisions)
    return len(decisions)


def _what_happened(item: Kernel | Pair) -> str:
    newest = item.decisions.select_related("user").first()
    who = f" by {newest.user or newest.rules}" if newest else ""
    item.refresh_from_db(fields=["status"])
    return f"{item} has changed meanwhile: it is {item.status} now{who}. Look again, then decide."
