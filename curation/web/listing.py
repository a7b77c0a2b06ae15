"""Pages of a list by keyset, without source texts, and with bounded counts."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Max, Q, QuerySet

from curation.decisions import second_reviews as second
from curation.models import Kernel, Pair, Provenance
from curation.search.condition import hits_are_in_order, reads
from curation.search.filters import Filter

PAGE = 50
# Maximum count: an exact one would cost more than the list.
COUNTED = 200
# Steps of a text search until a page is full: this many of the newest rows are read one by one,
# then this many are looked up in the index, then all.
READ, LOOKED_UP = 500, 10_000
_LISTED = (
    "content_hash", "created_at", "difficulty", "license__expression", "license_verdict",
    "operation_type", "priority", "status", "tags", "version",
)  # fmt: skip
LISTED = {Kernel: (*_LISTED, "name", "lines"), Pair: (*_LISTED, "slug", "origin", "kernel")}
ORDERS = {"newest": ("-pk",), "priority": ("-priority", "pk")}


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
    items: QuerySet[Any] = model._default_manager.all()
    if second.tells(filter):
        items = items.exclude(second.blind(model, user))
    # The keys of a first page are also its count, so there is no second query.
    pks, all_of_them = _keys(items, filter, order, after, size + 1, max(size, COUNTED) + 1)
    listed = model._default_manager.filter(pk__among=pks[:size]).only(*LISTED[model])
    rows = {row.pk: row for row in listed.select_related("license")}
    # A row may have been deleted in between.
    shown = [rows[pk] for pk in pks[:size] if pk in rows]
    following = _cursor(order, shown[-1]) if shown and len(pks) > size else ""
    found = min(len(pks), COUNTED)
    return ListPage(shown, following, None if after else found, not all_of_them or len(pks) > found)


def _keys(
    items: QuerySet[Any], filter: Filter, order: str, after: str, few: int, many: int
) -> tuple[list[int], bool]:
    """Return at least `few` keys, if there are as many, and True if these are all up to `many`."""
    limit = few if after else many
    behind = _after(items, order, after)
    rows = filter.of(behind, bounded=True).values_list("pk", flat=True)
    if not filter.q or order != "newest" or hits_are_in_order():
        return list(rows.order_by(*ORDERS[order])[:limit]), True
    # No database estimates how common a text is. If it is common, the newest rows suffice. If it is
    # rare, all matches are sorted quickly.
    first = behind.aggregate(n=Max("pk"))["n"] or 0
    read = (
        filter.without("q")
        .of(behind)
        .filter(reads(items.model, filter.q))
        .values_list("pk", flat=True)
    )
    for some, length in ((read, READ), (rows, LOOKED_UP)):
        keys = list(some.filter(pk__gt=first - length).order_by("-pk")[:limit])
        if len(keys) >= few:
            return keys, len(keys) == limit
    return list(rows.order_by((F("pk") + 0).desc())[:limit]), True


def places(items: list[Any]) -> dict[int, tuple[str, str]]:
    """Return the repository and the path of the newest place of each item's kernel."""
    kernels = [item.pk if isinstance(item, Kernel) else item.kernel_id for item in items]
    seen = Provenance.objects.filter(kernel__among=[pk for pk in kernels if pk], retired_at=None)
    columns = ("kernel", "source_file__repository__name", "source_file__path")
    rows = seen.order_by("-pk").values_list(*columns)
    return {kernel: (repository, path) for kernel, repository, path in rows}


def _cursor(order: str, item: Any) -> str:
    return f"{item.priority}.{item.pk}" if order == "priority" else str(item.pk)


def _after(rows: QuerySet[Any], order: str, after: str) -> QuerySet[Any]:
    numbers = after.split(".")
    if not all(number.isdecimal() and len(number) < 19 for number in numbers):
        return rows
    if len(numbers) != (2 if order == "priority" else 1):
        return rows
    if order == "newest":
        return rows.filter(pk__lt=int(numbers[0]))
    priority, pk = map(int, numbers)
    # With OR at the top level, this would read the whole table.
    return rows.filter(Q(priority__lte=priority) & (Q(priority__lt=priority) | Q(pk__gt=pk)))
