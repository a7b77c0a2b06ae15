"""Counts of the values of a filter, shown next to them.

One grouped query over a covering index counts all items by the columns of FACETS together. The
counts for a filter on these columns are sums of the rows. For another filter, the newest items
that match are counted, up to a limit.
"""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Count

from curation.decisions import second_reviews as second
from curation.models import Kernel, Pair
from curation.search.matching import NONE, Model, about
from curation.web.lists.listing import Listing

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
# Maximum number of items that are counted one by one for a list.
NEWEST = 1000
# Counts that take longer than QUICK seconds are cached for SECONDS.
QUICK, SECONDS = 0.02, 60


def facet_counts(listing: Listing) -> tuple[Counts, bool]:
    """Return the count of each value by the filter's key, and whether all items were counted.

    A count is the number of items that match this value and the other keys of the filter.
    """
    model = listing.model
    facets = FACETS[model]
    rest = listing.without(*facets)
    hidden = _hidden_items(model, listing.user)
    if rest.filter.without("items"):
        pks, reliable = rest.newest(NEWEST + 1)
        whole = reliable and len(pks) <= NEWEST
        combinations = _grouped(model, pk__among=pks)
        hidden = [pk for pk in hidden if pk in pks]
    else:
        combinations, whole = _all(model), True
    # An item that waits for the user's second review has no status here, because its status would
    # reveal the first verdict.
    blind = _grouped(model, pk__in=hidden)
    combinations = combinations - blind
    for (_, *others), count in blind.items():
        combinations["", *others] += count
    wanted = {key: set(getattr(listing.filter, key)) for key in facets}
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


def _all(model: Model) -> Counter[Combination]:
    """Return the count of all items by combination. The counts of a large table are cached."""
    name = f"facets-{model._meta.model_name}"
    combinations: Counter[Combination] | None = cache.get(name)
    if combinations is None:
        started = time.monotonic()
        combinations = _grouped(model)
        if time.monotonic() - started > QUICK:
            cache.set(name, combinations, SECONDS)
    return combinations


def _grouped(model: Model, **condition: Any) -> Counter[Combination]:
    rows = model._default_manager.filter(**condition).order_by()
    counted = rows.values_list(*FACETS[model].values()).annotate(n=Count("pk"))
    return Counter({tuple(values): count for *values, count in counted})


def _hidden_items(model: Model, user: User) -> list[int]:
    """Return up to NEWEST items for which the user may give the second review, newest first."""
    name = about(model)
    waiting = second.waiting_of(user).filter(**{f"{name}__isnull": False})
    return list(waiting.order_by("-pk").values_list(name, flat=True)[:NEWEST])
