"""Guidelines of each operation: the text, its versions, and examples of both decisions."""

import tomllib
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from pathlib import Path

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from curation.errors import CurationError
from curation.models import Guideline, GuidelineExample, Kernel, OperationType, Pair, Status
from curation.search.matching import about

Item = Kernel | Pair
DEFAULTS = Path(__file__).parent / "guidelines.toml"
LONGEST = 20_000
LONGEST_REASON = 300
# Maximum number of examples of each status.
MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class CurrentGuideline:
    operation_type: str
    text: str
    examples: list[GuidelineExample]
    """Approved examples first. Their items are loaded without their code."""


@cache
def default_text(operation_type: str) -> str:
    """Return the shipped text of an operation, with the text that all operations share."""
    texts: dict[str, str] = tomllib.loads(DEFAULTS.read_text())
    return f"{texts[operation_type].strip()}\n\n{texts['common'].strip()}\n"


def current(operation_type: str) -> CurrentGuideline | None:
    """Return the text and examples of an operation, or None for an unknown operation."""
    if operation_type not in OperationType.values:
        return None
    newest = Guideline.objects.filter(operation_type=operation_type).order_by("-pk").first()
    named = ("kernel__name", "pair__slug", "pair__content_hash")
    columns = ("operation_type", "status", "reason", "kernel", "pair", *named)
    examples = GuidelineExample.objects.filter(operation_type=operation_type)
    rows = examples.select_related("kernel", "pair").only(*columns).order_by("status", "pk")
    text = newest.text if newest else default_text(operation_type)
    return CurrentGuideline(operation_type, text, list(rows))


def versions(operation_type: str) -> QuerySet[Guideline]:
    """Select the saved versions, newest first, without the default text."""
    rows = Guideline.objects.filter(operation_type=operation_type)
    return rows.select_related("author").order_by("-pk")


def differences(before: str, after: str) -> list[tuple[str, str]]:
    """Return the lines of both texts, each with “gone”, “new” or “same”."""
    old, new = before.splitlines(), after.splitlines()
    kinds = {" ": "same", "-": "gone", "+": "new"}
    rows = list(unified_diff(old, new, n=len(old), lineterm=""))
    # The diff starts with two lines of file names and a line of line numbers.
    return [(kinds[row[0]], row[1:]) for row in rows[3:]]


def save(*, operation_type: str, text: str, seen: int, author: User) -> Guideline:
    """Save the next version.

    seen: the key of the version that the author has edited, or 0 for the default.
    """
    text = text.replace("\r\n", "\n").strip() + "\n"
    if not text.strip():
        raise CurationError("Guidelines can't be empty.")
    if len(text) > LONGEST:
        raise CurationError(f"Keep guidelines below {LONGEST:,} characters.")
    with transaction.atomic():
        newest = versions(operation_type).first()
        if (newest.pk if newest else 0) != seen:
            raise CurationError(
                f"{newest.author if newest else 'Another curator'} has saved another version "
                "meanwhile. Compare, then save again."
            )
        if text == (newest.text if newest else default_text(operation_type)):
            raise CurationError("Nothing has changed in the text.")
        return Guideline.objects.create(operation_type=operation_type, text=text, author=author)


def add_example(*, operation_type: str, item: Item, reason: str, user: User) -> GuidelineExample:
    """Save an item as an example of its current status."""
    reason = " ".join(reason.split())
    if item.status not in (Status.APPROVED, Status.REJECTED):
        raise CurationError(f"{item} is {item.status}: choose an approved or a rejected item.")
    if item.operation_type != operation_type:
        raise CurationError(
            f"{item} has the operation {item.operation_type or 'not known'}, not {operation_type}."
        )
    if not reason:
        raise CurationError("Write a reason: it is what reviewers learn from.")
    if len(reason) > LONGEST_REASON:
        raise CurationError(f"Keep the reason below {LONGEST_REASON} characters.")
    rows = GuidelineExample.objects.filter(operation_type=operation_type, status=item.status)
    if rows.count() >= MOST_EXAMPLES:
        raise CurationError(
            f"There are {MOST_EXAMPLES} {item.status} examples already. Remove one first."
        )
    try:
        with transaction.atomic():
            return GuidelineExample.objects.create(
                **{about(type(item)): item},
                operation_type=operation_type,
                status=item.status,
                reason=reason,
                added_by=user,
            )
    except IntegrityError:
        raise CurationError(f"{item} is an example already.") from None


def remove_example(operation_type: str, pk: int) -> bool:
    """Remove an example. Return False if it was removed before."""
    rows = GuidelineExample.objects.filter(pk=pk, operation_type=operation_type)
    removed, _ = rows.delete()
    return bool(removed)
