"""Counts beside the values of a filter.

One grouped query over a covering index counts all items by the columns of FACETS together. The
scheduler does it once a minute for large tables. The sums for any filter on these columns come from
there. With another filter, the newest items that match are counted instead, up to a bound.
"""

import time
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Count
from django.utils import timezone

from curation.decisions import second_reviews as second
from curation.decisions.figures import keep, kept
from curation.models import Kernel, Pair
from curation.search.filters import Filter
from curation.search.matching import NONE, about
from curation.web.listing import newest_keys, visible

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
# Most items that are counted one by one, for each list.
NEWEST = 1000
# Seconds of a count that is not worth keeping, that a count is kept, and after which it is made
# again though the scheduler should have done that.
QUICK, SECONDS, OLD_SECONDS = 0.02, 60, 300


def facet_counts(model: Model, filter: Filter, user: User) -> tuple[Counts, bool]:
    """Return the count of each value by the filter's key, and whether all items were counted.

    Each count obeys the other keys: it is the number of items that choosing the value would list.
    """
    facets = FACETS[model]
    rest = filter
    for key in facets:
        rest = rest.without(key)
    if rest.without("items"):
        combinations, whole = _counted_newest(model, rest, user)
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
    name = _name(model)
    combinations: Counter[Combination] | None = cache.get(name)
    if combinations is None:
        row = kept(name)
        if row is None or row.gathered_at < timezone.now() - timedelta(seconds=OLD_SECONDS):
            started = time.monotonic()
            combinations = _gather(model)
            if time.monotonic() - started < QUICK:
                return _without_status(combinations, _hidden_ones(model, user))
            _keep(model, combinations)
        else:
            combinations = Counter({tuple(values): count for *values, count in row.value})
        cache.set(name, combinations, SECONDS)
    return _without_status(combinations, _hidden_ones(model, user))


def refresh() -> None:
    """Count again where it takes so long that the counts are kept. A duty of the scheduler."""
    for model in FACETS:
        row = kept(_name(model))
        if row and row.gathered_at < timezone.now() - timedelta(seconds=SECONDS):
            _keep(model, _gather(model))


def _gather(model: Model) -> Counter[Combination]:
    columns = FACETS[model].values()
    rows = model._default_manager.order_by().values_list(*columns).annotate(n=Count("pk"))
    return Counter({tuple(values): count for *values, count in rows})


def _keep(model: Model, combinations: Counter[Combination]) -> None:
    keep(_name(model), [[*values, count] for values, count in combinations.items()])


def _name(model: Model) -> str:
    return f"facets-{model._meta.model_name}"


def _hidden_ones(model: Model, user: User) -> Counter[Combination]:
    rows = model._default_manager.filter(pk__in=_hidden_items(model, user))
    return Counter(rows.values_list(*FACETS[model].values()))


def _counted_newest(model: Model, filter: Filter, user: User) -> tuple[Counter[Combination], bool]:
    """Return the count of the newest matches by combination, and True if these are all."""
    hidden, columns = set(_hidden_items(model, user)), FACETS[model].values()
    pks, reliable = newest_keys(visible(model, filter, user), filter, NEWEST + 1)
    combinations: Counter[Combination] = Counter()
    hidden_ones: Counter[Combination] = Counter()
    listed = model._default_manager.filter(pk__among=pks)
    for pk, *values in listed.values_list("pk", *columns):
        combinations[tuple(values)] += 1
        if pk in hidden:
            hidden_ones[tuple(values)] += 1
    whole = reliable and len(pks) <= NEWEST
    return _without_status(combinations, hidden_ones), whole


def _hidden_items(model: Model, user: User) -> list[int]:
    """Return the items that wait for the user's second review, the newest ones."""
    name = about(model)
    waiting = second.waiting_of(user).filter(**{f"{name}__isnull": False})
    return list(waiting.order_by("-pk").values_list(name, flat=True)[:NEWEST])


def _without_status(
    combinations: Counter[Combination], hidden: Counter[Combination]
) -> Counter[Combination]:
    """Count the items that wait for the user's second review under no status: it would tell the
    first verdict."""
    counted = combinations - hidden
    for (_, *others), count in hidden.items():
        counted["", *others] += count
    return counted
