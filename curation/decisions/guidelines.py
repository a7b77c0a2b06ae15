"""Guidelines of each operation: the text, its versions, and examples of both decisions."""

import tomllib
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from django.contrib.auth.models import User
from django.core.cache import cache as site_cache
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from curation.errors import CurationError
from curation.models import Guideline, GuidelineExample, Kernel, OperationType, Pair, Status
from curation.search.matching import about

Item = Kernel | Pair
DEFAULTS = Path(__file__).parent / "guidelines.toml"
LONGEST = 20_000
LONGEST_REASON = 300
# Maximum number of examples of each status.
MOST_EXAMPLES = 3
KEPT_SECONDS, CACHED = 30, "guidelines"


@dataclass(frozen=True, slots=True)
class Example:
    """An example with what a page shows of it, without the texts of its item."""

    pk: int
    status: str
    reason: str
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class CurrentGuideline:
    operation_type: str
    text: str
    examples: tuple[Example, ...]

    @property
    def approved(self) -> list[Example]:
        return [example for example in self.examples if example.status == Status.APPROVED]

    @property
    def rejected(self) -> list[Example]:
        return [example for example in self.examples if example.status == Status.REJECTED]


@cache
def default_text(operation_type: str) -> str:
    """Return the shipped text of an operation, with the part that all share."""
    texts: dict[str, str] = tomllib.loads(DEFAULTS.read_text())
    return f"{texts[operation_type].strip()}\n\n{texts['common'].strip()}\n"


def current(operation_type: str) -> CurrentGuideline | None:
    """Return text and examples of an operation, or None for an unknown one.

    Those of all operations are cached together for `KEPT_SECONDS`.
    """
    kept: dict[str, CurrentGuideline] | None = site_cache.get(CACHED)
    if kept is None:
        newest = Guideline.objects.order_by().values("operation_type").annotate(newest=Max("pk"))
        rows = Guideline.objects.filter(pk__in=newest.values("newest"))
        texts = dict(rows.values_list("operation_type", "text"))
        examples = _examples()
        kept = {
            name: CurrentGuideline(
                name, texts.get(name) or default_text(name), tuple(examples.get(name, ()))
            )
            for name in OperationType.values
        }
        site_cache.set(CACHED, kept, KEPT_SECONDS)
    return kept.get(operation_type)


def versions(operation_type: str) -> QuerySet[Guideline]:
    """Select the saved versions, newest first. The default text is before the oldest."""
    rows = Guideline.objects.filter(operation_type=operation_type)
    return rows.select_related("author").order_by("-pk")


def differences(before: str, after: str) -> list[tuple[str, str]]:
    """Return the lines of both texts, each with “gone”, “new” or “same”."""
    old, new = before.splitlines(), after.splitlines()
    rows: list[tuple[str, str]] = []
    for tag, start, end, other, until in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            rows += [("same", line) for line in old[start:end]]
        else:
            rows += [("gone", line) for line in old[start:end]]
            rows += [("new", line) for line in new[other:until]]
    return rows


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
        saved = Guideline.objects.create(operation_type=operation_type, text=text, author=author)
    site_cache.delete(CACHED)
    return saved


def add_example(*, operation_type: str, item: Item, reason: str, user: User) -> GuidelineExample:
    """Save an item as an example of its present status."""
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
            example = GuidelineExample.objects.create(
                **{about(type(item)): item},
                operation_type=operation_type,
                status=item.status,
                reason=reason,
                added_by=user,
            )
    except IntegrityError:
        raise CurationError(f"{item} is an example already.") from None
    site_cache.delete(CACHED)
    return example


def remove_example(operation_type: str, pk: int) -> bool:
    """Remove an example. Return False if it was removed before."""
    rows = GuidelineExample.objects.filter(pk=pk, operation_type=operation_type)
    removed, _ = rows.delete()
    site_cache.delete(CACHED)
    return bool(removed)


def _examples() -> dict[str, list[Example]]:
    named = ("kernel__name", "pair__slug", "pair__content_hash")
    columns = ("operation_type", "status", "reason", "kernel", "pair", *named)
    examples: dict[str, list[Example]] = {}
    for row in GuidelineExample.objects.select_related("kernel", "pair").only(*columns):
        examples.setdefault(row.operation_type, []).append(
            Example(row.pk, row.status, row.reason, str(row.item), row.item.get_absolute_url())
        )
    return examples
