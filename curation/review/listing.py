"""A page of a list: by keyset, without source texts, with counts that read no whole table."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from curation.filters import Filter
from curation.models import Kernel, Pair, Provenance

PAGE = 50
COUNTED = 1000
ORDERS = {"newest": ("-pk",), "priority": ("-priority", "pk")}


@dataclass(frozen=True, slots=True)
class Page:
    items: list[Any]
    following: str
    """The cursor of the next page; empty: this is the last one."""


def a_page(
    model: type[Kernel] | type[Pair], filter: Filter, order: str, after: str, size: int = PAGE
) -> Page:
    rows = _matching(model, filter)
    rows = _after(rows, order, after).select_related("license")
    found = list(rows.order_by(*ORDERS[order])[: size + 1])
    shown = found[:size]
    return Page(shown, _cursor(order, shown[-1]) if len(found) > size else "")


def count(model: type[Kernel] | type[Pair], filter: Filter) -> int:
    """Up to `COUNTED` + 1, which means “more”."""
    rows = _matching(model, filter)
    return rows.order_by()[: COUNTED + 1].count()


def places(items: list[Any]) -> dict[int, Provenance]:
    """Where each of `items` was seen first."""
    kernels = [item.pk if isinstance(item, Kernel) else item.kernel_id for item in items]
    seen = Provenance.objects.filter(kernel__in=[pk for pk in kernels if pk], retired_at=None)
    rows = seen.select_related("source_file__repository").order_by("-pk")
    return {row.kernel_id: row for row in rows}


def _matching(model: type[Kernel] | type[Pair], filter: Filter) -> QuerySet[Any]:
    items: QuerySet[Any] = model._default_manager.without_sources()
    return filter.of(items, bounded=True)


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
    # Written with OR at the top, this would read the whole table.
    return rows.filter(Q(priority__lte=priority) & (Q(priority__lt=priority) | Q(pk__gt=pk)))
