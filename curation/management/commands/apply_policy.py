"""`manage.py apply_policy NAME --where FILTER`: decide on pending items under a named policy."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Exists, OuterRef, QuerySet

from curation.decisions.bulk import BATCH, MODELS
from curation.decisions.decide import decide_by_policy
from curation.evidence.grades import deciding, open_grades, validations_of
from curation.models import Actor, Decision, Kernel, Pair, Status, Verdict
from curation.search.filters import Filter
from curation.search.matching import about
from curation.text import pluralize


class Command(BaseCommand):
    help = (
        "Approve or reject all pending items that match a filter, under a named policy. Items that "
        "a person has decided on stay, and so do pairs with open grades, unless it rejects. "
        "An export counts the approvals with --accept-policy NAME."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = (
            'Example: manage.py apply_policy "proven 1" '
            "--where 'items=pairs validation=passed contaminated=no' --comment 'The harness passed'"
        )
        parser.add_argument("name", help="name and version of the policy, as decisions show it")
        parser.add_argument(
            "--where", required=True, metavar="FILTER", help="the filter, as lists have it"
        )
        parser.add_argument(
            "--status", choices=(Status.APPROVED.value, Status.REJECTED.value),
            default=Status.APPROVED.value, help="the decision (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--comment", default="", help="the reason, which each decision shows (default: none)"
        )
        parser.add_argument("--dry-run", action="store_true", help="count the items only")

    def handle(
        self, *, name: str, where: str, status: str, comment: str, dry_run: bool, **_: Any
    ) -> None:
        filter = Filter.from_text(where)
        if not filter:
            raise CommandError("An empty filter would decide on all items: name a condition.")
        if not name.strip() or not (comment.strip() or dry_run):
            raise CommandError("A policy needs a name, and a reason: --comment 'The harness …'.")
        counts, left = [], 0
        for model in MODELS:
            keys = list(_undecided(filter.of(model._default_manager.all())))
            if model is Pair and status == Status.APPROVED:
                keys, left = _with_enough_evidence(keys)
            if not dry_run:
                keys = keys[: _decide(model, keys, Status(status), name, comment)]
            counts.append(pluralize(len(keys), about(model)))
        would = "would be " if dry_run else ""
        self.stdout.write(f"{' and '.join(counts)} {would}{status} by “{name}”.")
        if left:
            self.stdout.write(f"{pluralize(left, 'pair')} with open grades left to a person.")


def _undecided(items: QuerySet[Any]) -> QuerySet[Any, int]:
    """Return the keys of pending items on which no person has ever decided."""
    by_people = Decision.objects.filter(actor=Actor.PERSON, **{about(items.model): OuterRef("pk")})
    pending = items.filter(~Exists(by_people), status=Status.PENDING)
    return pending.order_by("pk").values_list("pk", flat=True)


def _with_enough_evidence(keys: list[int]) -> tuple[list[int], int]:
    """Return the pairs that have no open grade, and the number of pairs that have one."""
    enough = []
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        validations = validations_of(batch)
        rows = Pair.objects.filter(pk__among=batch).order_by("pk")
        for pk, origin, content_hash in rows.values_list("pk", "origin", "content_hash"):
            seen = [row for hashed, row in validations.get(pk, ()) if hashed == content_hash]
            validation = deciding(seen)
            if (
                validation is not None
                and validation.verdict == Verdict.PASSED
                and not open_grades(origin, validation)
            ):
                enough.append(pk)
    return enough, len(keys) - len(enough)


def _decide(
    model: type[Kernel] | type[Pair], keys: list[int], status: Status, name: str, comment: str
) -> int:
    """Decide in short transactions, so that no lock is held for long."""
    decided = 0
    for start in range(0, len(keys), BATCH):
        items: Any = model._default_manager.filter(
            pk__in=keys[start : start + BATCH], status=Status.PENDING
        )
        decided += decide_by_policy(items=items, status=status, rules=name, comment=comment)
    return decided
