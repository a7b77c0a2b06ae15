"""Decisions on items, and the choice of the decision on which an approval is based."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from curation.models import Actor, Decision, Status

APPROVED, PERSON = Status.APPROVED.value, Actor.PERSON.value


class DecisionRow(NamedTuple):
    """A decision on an item: the columns that the gates and the record need."""

    pk: int
    status: str
    actor: str
    rules: str
    undoes: int | None
    content_hash: str
    user: int | None = None
    at: datetime | None = None
    reasons: Sequence[str] = ()
    comment: str = ""


def decisions_of(kind: str, pks: Collection[int]) -> dict[int, list[DecisionRow]]:
    decisions: dict[int, list[DecisionRow]] = defaultdict(list)
    columns = (
        "pk", "status", "actor", "rules", "undoes_id", "content_hash", "user_id", "created_at",
        "reasons", "comment",
    )  # fmt: skip
    rows = Decision.objects.filter(**{f"{kind}__among": pks}).order_by()
    for pk, *values in rows.values_list(f"{kind}_id", *columns):
        decisions[pk].append(DecisionRow(*values))
    return decisions


def approved_by(decisions: Sequence[DecisionRow], content_hash: str) -> DecisionRow | None:
    """Return the decision on which an approval is based, or None.

    If the newest decision by any person approves, return it. Otherwise return the newest approval,
    or None if a person made it. Reversals, undone decisions and decisions on other content are
    ignored.
    """
    undone = {decision.undoes for decision in decisions}
    valid = [
        decision
        for decision in sorted(decisions, key=lambda decision: -decision.pk)
        if not decision.undoes
        and decision.pk not in undone
        and decision.content_hash == content_hash
    ]
    by_person = next((decision for decision in valid if decision.actor == PERSON), None)
    if by_person and by_person.status == APPROVED:
        return by_person
    approval = next((decision for decision in valid if decision.status == APPROVED), None)
    return approval if approval and approval.actor != PERSON else None
