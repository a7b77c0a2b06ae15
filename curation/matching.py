"""What each key of a filter means for the rows of kernels and of pairs.

What is rare is looked up first (`pk IN (...)`), what is common is tried row by row (`EXISTS`), so
that a page of a list over 200,000 rows stays a matter of milliseconds either way.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.lookups import In

from curation.errors import CurationError
from curation.models import (
    Agreement,
    ContaminationMatch,
    Decision,
    DuplicateLink,
    Kernel,
    Pair,
    Provenance,
    QualityFinding,
    SecondReview,
    ValidationResult,
    Verdict,
)
from curation.search.condition import holds
from curation.search.tags import tagged

Model = type[Kernel] | type[Pair]
Condition = Callable[[Model, tuple[str, ...]], Q]

NONE = "none"
NOTHING = Q(pk__in=())
# By what a person calls them, in addresses too.
KINDS: Mapping[str, Model] = {"kernels": Kernel, "pairs": Pair}


class WrongFilter(CurationError):
    """A filter that says something which can't be looked for."""


class Duplicates(models.TextChoices):
    """Where an item stands among its like."""

    UNIQUE = "unique", "Not a twin of another"
    REPRESENTATIVE = "representative", "Stands for others"
    MEMBER = "member", "A twin of another"


def _items(model: Model, values: tuple[str, ...]) -> Q:
    return Q() if any(KINDS[value] is model for value in values) else NOTHING


def _column(name: str, none: str | None = None) -> Condition:
    def condition(model: Model, values: tuple[str, ...]) -> Q:
        return Q(**{f"{name}__in": [none if value == NONE else value for value in values]})

    return condition


def _only(model: Model, name: str) -> Condition:
    def condition(asked: Model, values: tuple[str, ...]) -> Q:
        return Q(**{f"{name}__in": values}) if asked is model else NOTHING

    return condition


def about(model: Model) -> str:
    """The name of the column by which other rows point to items of `model`."""
    return "kernel" if model is Kernel else "pair"


def _kernel(model: Model) -> str:
    return "pk" if model is Kernel else "kernel_id"


def _repository(model: Model, values: tuple[str, ...]) -> Q:
    seen = Provenance.objects.filter(source_file__repository__name__in=values, retired_at=None)
    return Q(**{f"{_kernel(model)}__in": seen.order_by().values("kernel")})


def _category(model: Model, values: tuple[str, ...]) -> Q:
    seen = Provenance.objects.filter(
        kernel=OuterRef(_kernel(model)),
        source_file__repository__category__in=values,
        retired_at=None,
    )
    return Q(Exists(seen))


def _license(model: Model, values: tuple[str, ...]) -> Q:
    named = Q(license__expression__in=[value for value in values if value != NONE])
    return named | Q(license=None) if NONE in values else named


def _finding(model: Model, values: tuple[str, ...]) -> Q:
    if model is not Kernel:
        return NOTHING
    failed = QualityFinding.objects.filter(kernel=OuterRef("pk"), passed=False)
    found = Q(Exists(failed.filter(gate__in=values))) if set(values) - {NONE} else Q()
    return found | Q(~Exists(failed)) if NONE in values else found


def _validation(model: Model, values: tuple[str, ...]) -> Q:
    """By the newest result for the content as it is now."""
    newest = ValidationResult.objects.filter(
        **{about(model): OuterRef("pk")}, content_hash=OuterRef("content_hash")
    ).order_by("-pk")
    found = Q(In(Subquery(newest.values("verdict")[:1]), values))
    if Verdict.PASSED not in values:
        # All others are rare enough to be looked up.
        ever = ValidationResult.objects.filter(verdict__in=values).exclude(**{about(model): None})
        found &= Q(pk__in=ever.order_by().values(about(model)))
    return found | Q(~Exists(newest)) if NONE in values else found


def _duplicates(model: Model, values: tuple[str, ...]) -> Q:
    me = OuterRef("pk")
    member = Exists(DuplicateLink.objects.filter(**{about(model): me}))
    stands = Exists(DuplicateLink.objects.filter(**{f"of_{about(model)}": me}))
    meaning = {
        Duplicates.UNIQUE: Q(~member),
        Duplicates.REPRESENTATIVE: Q(stands),
        Duplicates.MEMBER: Q(member),
    }
    found = Q()
    for value in values:
        found |= meaning[Duplicates(value)]
    return found


def _contaminated(model: Model, values: tuple[str, ...]) -> Q:
    if set(values) == {"yes", "no"}:
        return Q()
    if values == ("yes",):
        matched = ContaminationMatch.objects.exclude(**{about(model): None})
        return Q(pk__in=matched.values(about(model)))
    return Q(~Exists(ContaminationMatch.objects.filter(**{about(model): OuterRef("pk")})))


def _disputed(model: Model, values: tuple[str, ...]) -> Q:
    """Two reviewers disagree on it, and the dispute is not settled."""
    if set(values) == {"yes", "no"}:
        return Q()
    name = about(model)
    disputes = SecondReview.objects.filter(state=Agreement.DISPUTED).order_by()
    if values == ("yes",):
        return Q(pk__in=disputes.filter(**{f"{name}__isnull": False}).values(name))
    return Q(~Exists(disputes.filter(**{name: OuterRef("pk")})))


def day_range(written: str) -> tuple[datetime | None, datetime | None]:
    """`2026-01-05..2026-01-31`, either end open, or one day: from its beginning to its end."""
    first, dots, last = written.partition("..")
    try:
        begin = date.fromisoformat(first) if first else None
        end = date.fromisoformat(last) if last else (None if dots else begin)
        after = end + timedelta(days=1) if end else None
    except (ValueError, OverflowError):
        raise WrongFilter(
            f"{written!r} is no day and no range of days: write 2026-01-31, 2026-01-01.. or "
            "2026-01-01..2026-01-31."
        ) from None
    if begin and after and begin >= after:
        raise WrongFilter(f"The range {written!r} ends before it begins.")
    return _midnight(begin), _midnight(after)


def _midnight(day: date | None) -> datetime | None:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None


def _newest_decision(model: Model, like: Q) -> Q:
    """Its newest decision is `like` this: the first condition finds, the second makes sure."""
    name = about(model)
    all_like = Decision.objects.filter(like, **{f"{name}__isnull": False}).order_by()
    newest = all_like.filter(**{name: OuterRef("pk")}, version=OuterRef("version") - 1)
    return Q(pk__in=all_like.values(name)) & Q(Exists(newest))


def _reviewer(model: Model, values: tuple[str, ...]) -> Q:
    return _newest_decision(model, Q(user__username__in=values))


def _decided(model: Model, values: tuple[str, ...]) -> Q:
    within = Q()
    for value in values:
        begin, after = day_range(value)
        days = Q()
        if begin:
            days &= Q(created_at__gte=begin)
        if after:
            days &= Q(created_at__lt=after)
        within |= days
    return _newest_decision(model, within)


CONDITIONS: Mapping[str, Condition] = {
    "items": _items,
    "status": _column("status"),
    "repository": _repository,
    "category": _category,
    "license": _license,
    "verdict": _column("license_verdict"),
    "operation": _column("operation_type", none=""),
    "difficulty": _column("difficulty", none=""),
    "tag": tagged,
    "finding": _finding,
    "validation": _validation,
    "duplicates": _duplicates,
    "contaminated": _contaminated,
    "disputed": _disputed,
    "hardware": _column("hardware"),
    "language": _only(Kernel, "language"),
    "kind": _only(Kernel, "kind"),
    "origin": _only(Pair, "origin"),
    "reviewer": _reviewer,
    "decided": _decided,
    "q": holds,
}
