"""Pages of a list by keyset, without source texts, and with bounded counts."""

import json
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Max, Q, QuerySet

from curation.decisions import second_reviews as second
from curation.models import Kernel, Pair, Provenance
from curation.search.condition import hits_are_in_order, reads
from curation.search.filters import Filter
from curation.unstorable import unstorable

PAGE = 50
# Maximum count: an exact one would cost more than the list.
COUNTED = 200
# Steps of a text search until a page is full: this many of the newest rows are read one by one,
# then this many are looked up in the index, then all.
READ, LOOKED_UP = 500, 10_000
# Newest rows that are tried first if a verdict is demanded, and matches among them that suffice for
# counts. PostgreSQL takes the test of the newest verdict for rare, and reads the table to count
# 1,000 items: 472 ms → 7 ms (2026-11-27).
TRIED, SUFFICIENT = 2500, 100
_LISTED = (
    "content_hash", "created_at", "difficulty", "license__expression", "license_verdict",
    "open_claims", "operation_type", "priority", "status", "tags", "version",
)  # fmt: skip
LISTED = {
    Kernel: (*_LISTED, "name", "lines", "registers", "spilled_bytes"),
    Pair: (*_LISTED, "slug", "origin", "kernel", "speedup", "pass_rate"),
}
# Orders of a list, by the columns that decide. Each begins an index, but for the small table of
# pairs. A minus before the name of an order turns all its columns round.
_ORDERS: dict[str, tuple[str, ...]] = {
    "newest": ("-pk",), "priority": ("-priority", "pk"), "status": ("status", "-priority", "pk"),
    "open_claims": ("open_claims", "pk"),
}  # fmt: skip
ORDERS: dict[type[Kernel] | type[Pair], dict[str, tuple[str, ...]]] = {
    Kernel: {
        **_ORDERS,
        "name": ("name", "pk"),
        "operation": ("operation_type", "status", "pk"),
        "license": ("license_verdict", "status", "pk"),
        "lines": ("lines", "pk"),
        "registers": ("-registers", "pk"),
    },
    Pair: {
        **_ORDERS,
        "name": ("slug", "pk"),
        "operation": ("operation_type", "pk"),
        "license": ("license_verdict", "pk"),
        "origin": ("origin", "pk"),
        "speedup": ("-speedup", "pk"),
        "pass_rate": ("-pass_rate", "pk"),
    },
}


# Items without a value are left out of a list that is sorted by such a column.
MEASURED = ("registers", "speedup", "pass_rate", "open_claims")


@dataclass(frozen=True, slots=True)
class ListPage:
    items: list[Any]
    following: str
    """Cursor of the next page; empty on the last page."""
    found: int | None
    """Lower bound of the number of matches. Only a first page has it."""
    more: bool
    """True if there may be more than `found`."""


def a_page(
    model: type[Kernel] | type[Pair],
    filter: Filter,
    order: str,
    after: str,
    user: User,
    size: int = PAGE,
) -> ListPage:
    """Return a page of the items that match, as `user` may see them.

    The keys are read first, from an index, then the rows.
    """
    items = visible(model, filter, user)
    columns = columns_of(model, order) or ORDERS[model]["newest"]
    first = columns[0].removeprefix("-")
    if first in MEASURED:
        items = items.filter(**{f"{first}__isnull": False})
    # For a first page, more keys are read than it shows: they are also the count of matches.
    most = size + 1 if after else max(size, COUNTED) + 1
    pks, all_of_them = _keys(_after(items, columns, after), filter, columns, size + 1, most)
    listed = model._default_manager.filter(pk__among=pks[:size]).only(*LISTED[model])
    rows = {row.pk: row for row in listed.select_related("license")}
    # A row may have been deleted in between.
    shown = [rows[pk] for pk in pks[:size] if pk in rows]
    following = _cursor(columns, shown[-1]) if shown and len(pks) > size else ""
    found = min(len(pks), COUNTED)
    return ListPage(shown, following, None if after else found, not all_of_them or len(pks) > found)


def visible(model: type[Kernel] | type[Pair], filter: Filter, user: User) -> QuerySet[Any]:
    """Return the items of whose first verdict the filter tells the user nothing."""
    items: QuerySet[Any] = model._default_manager.all()
    return items.exclude(second.blind(model, user)) if second.tells(filter) else items


def count_in_words(model: type[Kernel] | type[Pair], filter: Filter, user: User) -> str:
    """Return the number of matches, or a lower bound such as “200+”."""
    keys, all_of_them = newest_keys(visible(model, filter, user), filter, COUNTED + 1)
    more = not all_of_them or len(keys) > COUNTED
    return f"{min(len(keys), COUNTED)}{'+' if more else ''}"


def _keys(
    items: QuerySet[Any], filter: Filter, columns: tuple[str, ...], few: int, most: int
) -> tuple[list[int], bool]:
    """Return the keys of the first matches, and True if these are all up to `most`.

    If a text or a verdict is common, a list of the newest may have only `few`.
    """
    newest = columns == ("-pk",)
    if newest and filter.q and not hits_are_in_order():
        return _searched_keys(items, filter, few, most)
    if newest and filter.validation:
        keys, all_of_them = _tried_keys(items, filter, most)
        if len(keys) >= few:
            return keys, all_of_them
    rows = filter.of(items, bounded=True).values_list("pk", flat=True)
    return list(rows.order_by(*columns)[:most]), True


def newest_keys(items: QuerySet[Any], filter: Filter, most: int) -> tuple[list[int], bool]:
    """Return the keys of the newest matches, as `_keys` does."""
    return _keys(items, filter, ("-pk",), SUFFICIENT, most)


def _tried_keys(items: QuerySet[Any], filter: Filter, limit: int) -> tuple[list[int], bool]:
    """Return the keys of matches among the newest rows, and True if these are all up to `limit`."""
    first = items.aggregate(n=Max("pk"))["n"] or 0
    tried = filter.of(items.filter(pk__gt=first - TRIED), bounded=True)
    keys = list(tried.order_by("-pk").values_list("pk", flat=True)[:limit])
    return keys, len(keys) == limit or first <= TRIED


def _searched_keys(
    items: QuerySet[Any], filter: Filter, few: int, limit: int
) -> tuple[list[int], bool]:
    """Return the keys of the newest matches of a text search in PostgreSQL, as `_keys` does.

    No database estimates how common a text is. If it is common, the newest rows suffice. If it is
    rare, all matches are sorted quickly.
    """
    rows = filter.of(items, bounded=True).values_list("pk", flat=True)
    read = filter.without("q").of(items).filter(reads(items.model, filter.q))
    first = items.aggregate(n=Max("pk"))["n"] or 0
    for some, length in ((read.values_list("pk", flat=True), READ), (rows, LOOKED_UP)):
        keys = list(some.filter(pk__gt=first - length).order_by("-pk")[:limit])
        if len(keys) >= few:
            return keys, len(keys) == limit or first <= length
    return list(rows.order_by((F("pk") + 0).desc())[:limit]), True


def places(items: list[Any]) -> dict[int, tuple[str, str]]:
    """Return the repository and the path of the newest place of each item's kernel."""
    kernels = [item.pk if isinstance(item, Kernel) else item.kernel_id for item in items]
    seen = Provenance.objects.filter(kernel__among=[pk for pk in kernels if pk], retired_at=None)
    columns = ("kernel", "source_file__repository__name", "source_file__path")
    rows = seen.order_by("-pk").values_list(*columns)
    return {kernel: (repository, path) for kernel, repository, path in rows}


def columns_of(model: type[Kernel] | type[Pair], order: str) -> tuple[str, ...] | None:
    """Return the columns of an order with their signs, or None if there is no such order."""
    columns = ORDERS[model].get(order.removeprefix("-"))
    if columns is None or not order.startswith("-"):
        return columns
    return tuple(
        column.removeprefix("-") if column.startswith("-") else f"-{column}" for column in columns
    )


def _cursor(columns: tuple[str, ...], item: Any) -> str:
    values = [getattr(item, column.removeprefix("-")) for column in columns]
    return json.dumps(values if len(values) > 1 else values[0])


def _after(rows: QuerySet[Any], columns: tuple[str, ...], after: str) -> QuerySet[Any]:
    """Return the rows behind the cursor. Another text gives all rows."""
    try:
        values = json.loads(after)
        values = values if isinstance(values, list) else [values]
        if len(values) != len(columns) or unstorable(values, "cursor") or values[-1] < 0:
            return rows
        condition = Q()
        for column, value in reversed(list(zip(columns, values, strict=True))):
            name = column.removeprefix("-")
            compare = f"{name}__lt" if column.startswith("-") else f"{name}__gt"
            behind = Q(**{compare: value})
            # With OR at the top level, this would read the whole table.
            condition = Q(**{f"{compare}e": value}) & (behind | condition) if condition else behind
        return rows.filter(condition)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return rows
