"""Counts of the values of one filter, in the newest items that match, up to a limit.

They are computed when a person opens the filter: for four filters on each page they took 45 ms of
processor time with PostgreSQL (2026-11-27). `facets` counts other filters' values.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db.models import Count

from curation.characters import has_invisible
from curation.models import Kernel, License, Provenance, QualityFinding, Repository
from curation.search.filters import CHOICES
from curation.search.matching import CONDITIONS, NONE, Model
from curation.web.lists.listing import Listing

# Limits on counted items, and on shown and suggested values of a filter without choices.
COUNTED, SHOWN, SUGGESTED = 500, 8, 300


@dataclass(frozen=True, slots=True)
class ValueCounts:
    counts: Mapping[str, int]
    """Counts by value. A filter without choices has its most frequent and its chosen values."""
    whole: bool
    """True if all items that match were counted."""
    suggested: list[str]
    """Known values of a filter without choices."""


def value_counts(listing: Listing, key: str) -> ValueCounts:
    """Return the count of each value of the filter `key`, in items that match the other keys."""
    model = listing.model
    pks, reliable = listing.without(key).newest(COUNTED + 1)
    whole = reliable and len(pks) <= COUNTED
    pks = pks[:COUNTED]
    if key in CHOICES:
        return ValueCounts(_choices(model, key, pks), whole, [])
    counts = TYPED[key](model, pks) if pks else Counter()
    shown = dict(counts.most_common(SHOWN))
    for value in getattr(listing.filter, key):
        shown.setdefault(value, counts[value])
    known = {*counts, *_names(key)}
    return ValueCounts(shown, whole, sorted(v for v in known if not has_invisible(v))[:SUGGESTED])


def _choices(model: Model, key: str, pks: list[int]) -> dict[str, int]:
    counted = {
        f"is_{place}": Count("pk", filter=CONDITIONS[key](model, (value,)))
        for place, value in enumerate(CHOICES[key])
    }
    row = model._default_manager.filter(pk__among=pks).aggregate(**counted) if pks else {}
    return dict(zip(CHOICES[key], row.values(), strict=False))


def _names(key: str) -> list[str]:
    """Return the newest repositories or licenses; other filters have no table of their values."""
    if key == "repository":
        return list(Repository.objects.order_by("-pk").values_list("name", flat=True)[:SUGGESTED])
    rows = License.objects.order_by("pk").values_list("expression", flat=True)
    return list(rows[:SUGGESTED]) if key == "license" else []


def _repositories(model: Model, pks: list[int]) -> Counter[str]:
    """Count items by repository. An item counts once for each repository of its kernel."""
    item = "kernel" if model is Kernel else "kernel__pairs"
    rows = Provenance.objects.filter(**{f"{item}__in": pks}, retired_at=None).order_by()
    named = rows.values_list("source_file__repository__name")
    return Counter(dict(named.annotate(n=Count(item, distinct=True))))


def _licenses(model: Model, pks: list[int]) -> Counter[str]:
    rows = model._default_manager.filter(pk__among=pks).order_by()
    counts = rows.values_list("license__expression").annotate(n=Count("pk"))
    return Counter({expression or NONE: count for expression, count in counts})


def _tags(model: Model, pks: list[int]) -> Counter[str]:
    rows = model._default_manager.filter(pk__among=pks).order_by().values_list("tags", flat=True)
    return Counter(tag for tags in rows for tag in {tag for tag in tags if isinstance(tag, str)})


def _findings(model: Model, pks: list[int]) -> Counter[str]:
    failed = QualityFinding.objects.filter(kernel__among=pks, passed=False).order_by()
    counts = Counter(dict(failed.values_list("gate").annotate(n=Count("pk"))))
    counts[NONE] = len(pks) - failed.aggregate(n=Count("kernel", distinct=True))["n"]
    return +counts


TYPED: Mapping[str, Callable[[Model, list[int]], Counter[str]]] = {
    "repository": _repositories, "license": _licenses, "tag": _tags, "finding": _findings,
}  # fmt: skip
