"""Counts beside the values of a filter, and suggestions for the filters that are typed.

One grouped query over a covering index counts all items by the columns of FACETS together, once a
minute. The sums for any filter on these columns come from there. With another filter, the newest
items that match are counted instead, up to a bound.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Count

from curation.characters import has_invisible
from curation.decisions import second_reviews as second
from curation.models import Kernel, License, Pair, QualityFinding, Repository
from curation.search.filters import Filter
from curation.search.matching import NONE

Model = type[Kernel] | type[Pair]
Combination = tuple[str, ...]
Counts = Mapping[str, Mapping[str, int]]

_SHARED = {
    "status": "status", "operation": "operation_type", "difficulty": "difficulty",
    "verdict": "license_verdict",
}  # fmt: skip
FACETS: Mapping[Model, Mapping[str, str]] = {
    Kernel: {**_SHARED, "language": "language", "kind": "kind"},
    Pair: {**_SHARED, "origin": "origin"},
}
# Most items that are counted one by one, and the seconds that counts and suggestions are kept.
NEWEST, SECONDS, SUGGESTED_SECONDS = 5000, 60, 600
SUGGESTED = 300


def facet_counts(model: Model, filter: Filter, user: User) -> tuple[Counts, bool]:
    """Return the count of each value by the filter's key, and whether all items were counted.

    Each count obeys the other keys: it is the number of items that choosing the value would list.
    """
    facets = FACETS[model]
    rest = filter
    for key in facets:
        rest = rest.without(key)
    if rest.without("items"):
        combinations, whole = _counted_newest(model, rest, user), False
        if sum(combinations.values()) <= NEWEST:
            whole = True
    else:
        combinations, whole = _all(model, user), True
    wanted = {key: set(getattr(filter, key)) for key in facets}
    counts: dict[str, Counter[str]] = {key: Counter() for key in facets}
    for combination, count in combinations.items():
        values = [value or NONE for value in combination]
        refused = [
            place
            for place, key in enumerate(facets)
            if wanted[key] and values[place] not in wanted[key]
        ]
        if len(refused) > 1:
            continue
        for place, key in enumerate(facets):
            if not refused or refused == [place]:
                counts[key][values[place]] += count
    return counts, whole


def _all(model: Model, user: User) -> Counter[Combination]:
    """Return the count of all items by combination."""
    columns = tuple(FACETS[model].values())
    key = f"facets-{model._meta.model_name}"
    combinations: Counter[Combination] | None = cache.get(key)
    if combinations is None:
        rows = model._default_manager.order_by().values_list(*columns).annotate(n=Count("pk"))
        combinations = Counter({tuple(values): count for *values, count in rows})
        cache.set(key, combinations, SECONDS)
    hidden = model._default_manager.filter(second.blind(model, user)).values_list(*columns)
    return _without_status(combinations, Counter(hidden))


def _counted_newest(model: Model, filter: Filter, user: User) -> Counter[Combination]:
    items: Any = model._default_manager.all()
    blind = second.blind(model, user)
    if second.tells(filter):
        items = items.exclude(blind)
    rows = filter.of(items, bounded=True).values_list(*FACETS[model].values()).order_by("-pk")
    combinations = Counter(rows[: NEWEST + 1])
    return _without_status(combinations, Counter(rows.filter(blind)[: NEWEST + 1]))


def _without_status(
    combinations: Counter[Combination], hidden: Counter[Combination]
) -> Counter[Combination]:
    """Count the items that wait for the user's second review under no status: it would tell the
    first verdict."""
    counted = combinations - hidden
    for (_, *others), count in hidden.items():
        counted["", *others] += count
    return counted


def suggestions(key: str) -> list[str]:
    """Return the known values of a filter that is typed, or an empty list."""
    made = _SUGGESTED.get(key)
    if made is None:
        return []
    values: list[str] | None = cache.get(f"suggested-{key}")
    if values is None:
        values = sorted({value for value in made() if not has_invisible(value)})[:SUGGESTED]
        cache.set(f"suggested-{key}", values, SUGGESTED_SECONDS)
    return values


def _repositories() -> Iterable[str]:
    return Repository.objects.order_by("-pk").values_list("name", flat=True)[:SUGGESTED]


def _licenses() -> Iterable[str]:
    return License.objects.order_by("pk").values_list("expression", flat=True)[:SUGGESTED]


def _tags() -> Iterable[str]:
    """Return the tags of the newest items."""
    for model in (Kernel, Pair):
        for tags in model._default_manager.order_by("-pk").values_list("tags", flat=True)[:1000]:
            yield from (tag for tag in tags if isinstance(tag, str))


def _findings() -> Iterable[str]:
    rows = QualityFinding.objects.order_by("-pk").values_list("gate", "passed")[:NEWEST]
    return {gate for gate, passed in rows if not passed} | {NONE}


_SUGGESTED = {
    "repository": _repositories, "license": _licenses, "tag": _tags, "finding": _findings,
}  # fmt: skip
