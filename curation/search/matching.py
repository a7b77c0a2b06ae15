"""SQL conditions of each filter key, for kernels and for pairs.

Rare values are looked up first (`pk IN (...)`). Common values are tested row by row (`EXISTS`). So
a page of a list over 200,000 rows takes milliseconds in both cases.
"""

import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

from django.db import connection, models
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.expressions import RawSQL
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

Model = type[Kernel] | type[Pair]
Condition = Callable[[Model, tuple[str, ...]], Q]

NONE = "none"
NOTHING = Q(pk__in=())
# Models by the name that commands and URLs use for them.
KINDS: Mapping[str, Model] = {"kernels": Kernel, "pairs": Pair}
MODELS = tuple(KINDS.values())


class WrongFilter(CurationError):
    """An error because a filter can't be evaluated."""


class Duplicates(models.TextChoices):
    """Position of an item in its cluster of near-duplicates."""

    UNIQUE = "unique", "Unique or representative"
    REPRESENTATIVE = "representative", "Representative"
    MEMBER = "member", "Near-duplicate"


def _items(model: Model, values: tuple[str, ...]) -> Q:
    return Q() if any(KINDS[value] is model for value in values) else NOTHING


def _column(name: str, none: str | None = None) -> Condition:
    def condition(model: Model, values: tuple[str, ...]) -> Q:
        return Q(**{f"{name}__in": [none if value == NONE else value for value in values]})

    return condition


def _id(model: Model, values: tuple[str, ...]) -> Q:
    return Q(pk__in=[int(value) for value in values])


def _only(model: Model, name: str) -> Condition:
    def condition(given_model: Model, values: tuple[str, ...]) -> Q:
        return Q(**{f"{name}__in": values}) if given_model is model else NOTHING

    return condition


def _yes_no(match: Callable[[Model, bool], Q], only: Model | None = None) -> Condition:
    """Match items of `only` by a yes-or-no question. With both answers, match all of them."""

    def condition(model: Model, values: tuple[str, ...]) -> Q:
        if only not in (None, model):
            return NOTHING
        return Q() if len(values) > 1 else match(model, values == ("yes",))

    return condition


def _between(name: str, least: object, most: object, end: str = "lte") -> Q:
    """Match rows whose column is from `least` to `most`. None means no limit at that end."""
    bounds = {f"{name}__gte": least, f"{name}__{end}": most}
    return Q(**{lookup: bound for lookup, bound in bounds.items() if bound is not None})


def about(model: Model) -> str:
    """Return the name of the foreign key column that refers to `model`."""
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


def _tag(model: Model, tags: tuple[str, ...]) -> Q:
    """Match items with any of `tags`."""
    if connection.vendor != "sqlite":
        return Q(*(("tags__contains", [tag]) for tag in tags), _connector=Q.OR)
    places = ", ".join(["%s"] * len(tags))
    rows = f"SELECT id FROM {model._meta.db_table}_tags WHERE tag IN ({places})"  # noqa: S608
    return Q(pk__in=RawSQL(rows, tags))  # noqa: S611 - names of our own, the tags are parameters


def _finding(model: Model, values: tuple[str, ...]) -> Q:
    if model is not Kernel:
        return NOTHING
    failed = QualityFinding.objects.filter(kernel=OuterRef("pk"), passed=False)
    found = Q(Exists(failed.filter(gate__in=values))) if set(values) - {NONE} else Q()
    return found | Q(~Exists(failed)) if NONE in values else found


def _validation(model: Model, values: tuple[str, ...]) -> Q:
    """Match items by the newest verdict on their current content."""
    newest = ValidationResult.objects.filter(
        **{about(model): OuterRef("pk")}, content_hash=OuterRef("content_hash")
    ).order_by("-pk")
    matches = Q(In(Subquery(newest.values("verdict")[:1]), values))
    if Verdict.PASSED not in values:
        # Verdicts other than the most common one are rare, so look them up first.
        ever = ValidationResult.objects.filter(verdict__in=values).exclude(**{about(model): None})
        matches &= Q(pk__in=ever.order_by().values(about(model)))
    return matches | Q(~Exists(newest)) if NONE in values else matches


def _duplicates(model: Model, values: tuple[str, ...]) -> Q:
    this_item = OuterRef("pk")
    member = Exists(DuplicateLink.objects.filter(**{about(model): this_item}))
    stands = Exists(DuplicateLink.objects.filter(**{f"of_{about(model)}": this_item}))
    meaning = {
        Duplicates.UNIQUE: Q(~member),
        Duplicates.REPRESENTATIVE: Q(stands),
        Duplicates.MEMBER: Q(member),
    }
    return Q(*(meaning[Duplicates(value)] for value in values), _connector=Q.OR)


def _contaminated(model: Model, yes: bool) -> Q:
    if yes:
        matched = ContaminationMatch.objects.exclude(**{about(model): None})
        return Q(pk__in=matched.values(about(model)))
    return Q(~Exists(ContaminationMatch.objects.filter(**{about(model): OuterRef("pk")})))


def _standalone(model: Model, yes: bool) -> Q:
    """Match kernels by whether their unit defines all names in it. All pairs are standalone."""
    if model is Pair:
        return Q() if yes else NOTHING
    return Q(standalone=yes)


def _disputed(model: Model, yes: bool) -> Q:
    """Match items by whether two reviewers disagree on them and the dispute is not settled."""
    name = about(model)
    disputes = SecondReview.objects.filter(state=Agreement.DISPUTED).order_by()
    if yes:
        return Q(pk__in=disputes.filter(**{f"{name}__isnull": False}).values(name))
    return Q(~Exists(disputes.filter(**{name: OuterRef("pk")})))


def day_range(written: str) -> tuple[datetime | None, datetime | None]:
    """Parse `2026-01-05..2026-01-31`, where an end may be missing, or a single day."""
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
    """Match items whose newest decision meets the condition `like`.

    The first condition finds candidates. The second condition excludes items with a newer decision.
    """
    name = about(model)
    all_like = Decision.objects.filter(like, **{f"{name}__isnull": False}).order_by()
    newest = all_like.filter(**{name: OuterRef("pk")}, version=OuterRef("version") - 1)
    return Q(pk__in=all_like.values(name)) & Q(Exists(newest))


def _reviewer(model: Model, values: tuple[str, ...]) -> Q:
    return _newest_decision(model, Q(user__username__in=values))


def _decided(model: Model, values: tuple[str, ...]) -> Q:
    days = (_between("created_at", *day_range(value), end="lt") for value in values)
    return _newest_decision(model, Q(*days, _connector=Q.OR))


def number_range(written: str) -> tuple[float | None, float | None]:
    """Parse `1.5..4`, where an end may be missing, or one number. Ends belong to the range."""
    first, dots, last = written.partition("..")
    try:
        least = float(first) if first else None
        most = float(last) if last else (None if dots else least)
        if not all(math.isfinite(end) for end in (least, most) if end is not None):
            raise ValueError
    except ValueError:
        raise WrongFilter(
            f"{written!r} is no number and no range of numbers: write 2, 1.5.. or 1.5..4."
        ) from None
    if least is not None and most is not None and least > most:
        raise WrongFilter(f"The range {written!r} ends before it begins.")
    return least, most


def _number(model: Model | None, name: str) -> Condition:
    """Match by a measured column of `model` (None: of both). Items without a value never match."""

    def condition(given_model: Model, values: tuple[str, ...]) -> Q:
        if model not in (None, given_model):
            return NOTHING
        ranges = (_between(name, *number_range(value)) for value in values)
        return Q(**{f"{name}__isnull": False}) & Q(*ranges, _connector=Q.OR)

    return condition


def _spills(model: Model, values: tuple[str, ...]) -> Q:
    """Match compiled kernels by whether some registers spill to local memory."""
    if model is not Kernel:
        return NOTHING
    spilled = Q(spilled_bytes__gt=0) if "yes" in values else NOTHING
    dry = Q(spilled_bytes=0) if "no" in values else NOTHING
    return Q(registers__isnull=False) & (spilled | dry)


def _unlaunched(model: Model, yes: bool) -> Q:
    """Match pairs by whether some of their kernels are launched by no input of a validation."""
    some = ValidationResult.objects.filter(
        pair=OuterRef("pk"), content_hash=OuterRef("content_hash"), figures__grades__launched="some"
    )
    return Q(Exists(some)) if yes else Q(~Exists(some))


CONDITIONS: Mapping[str, Condition] = {
    "items": _items,
    "id": _id,
    "status": _column("status"),
    "repository": _repository,
    "category": _category,
    "license": _license,
    "verdict": _column("license_verdict"),
    "operation": _column("operation_type", none=""),
    "difficulty": _column("difficulty", none=""),
    "tag": _tag,
    "finding": _finding,
    "validation": _validation,
    "duplicates": _duplicates,
    "contaminated": _yes_no(_contaminated),
    "standalone": _yes_no(_standalone),
    "disputed": _yes_no(_disputed),
    "hardware": _column("hardware"),
    "language": _only(Kernel, "language"),
    "kind": _only(Kernel, "kind"),
    "origin": _only(Pair, "origin"),
    "reviewer": _reviewer,
    "decided": _decided,
    "speedup": _number(Pair, "speedup"),
    "pass_rate": _number(Pair, "pass_rate"),
    "registers": _number(Kernel, "registers"),
    "spills": _spills,
    "unlaunched": _yes_no(_unlaunched, only=Pair),
    "open_claims": _number(None, "open_claims"),
    "q": holds,
}
