"""Lists of items: pages by keyset, without source texts, and with bounded counts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, IntegerField, Max, Q, QuerySet, Value
from django.db.models.functions import Cast, Greatest, StrIndex, Substr, Upper

from curation.decisions import second_reviews as second
from curation.models import Kernel, Pair, Provenance
from curation.search.condition import TRIGRAM, hits_are_in_order, reads
from curation.search.filters import Filter
from curation.search.indexes import SEARCHED
from curation.search.matching import Model
from curation.unstorable import unstorable

PAGE = 50
# Largest count that is shown. An exact count would cost more than the list.
COUNTED = 200
# Steps of a text search in PostgreSQL, until a page is full: read the READ newest rows, look up the
# LOOKED_UP newest rows in the index, then all rows.
READ, LOOKED_UP = 500, 10_000
# If the filter has a verdict: number of newest rows to try first, and of matches that suffice.
# PostgreSQL assumes that few rows match a verdict, and reads the table to count 1,000 items:
# 472 ms → 7 ms (2026-11-27).
TRIED, SUFFICIENT = 2500, 100
_LISTED = (
    "content_hash", "created_at", "difficulty", "license__expression", "license_verdict",
    "open_claims", "operation_type", "priority", "status", "tags", "version",
)  # fmt: skip
LISTED = {
    Kernel: (*_LISTED, "name", "lines", "registers", "spilled_bytes"),
    Pair: (*_LISTED, "slug", "origin", "kernel", "speedup", "pass_rate"),
}
# Number of characters that are read before and after a hit, and shown of its line.
BEFORE, AROUND, SHOWN = 120, 320, 160
# Columns of each order of a list. Each is the start of an index, except in the small table of
# pairs. A minus before the name of an order reverses it.
NEWEST_FIRST = ("-pk",)
_ORDERS: dict[str, tuple[str, ...]] = {
    "newest": NEWEST_FIRST, "priority": ("-priority", "pk"),
    "status": ("status", "-priority", "pk"), "open_claims": ("open_claims", "pk"),
}  # fmt: skip
ORDERS: dict[Model, dict[str, tuple[str, ...]]] = {
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


# Columns that are empty in some items. A list sorted by such a column leaves out these items.
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


@dataclass(frozen=True, slots=True)
class Listing:
    """The kernels or pairs that match a filter, as `user` may see them."""

    model: Model
    filter: Filter
    user: User

    def page(self, order: str, after: str = "", size: int = PAGE) -> ListPage:
        """Return the page after a cursor. The keys are read first, from an index, then the rows."""
        columns = columns_of(self.model, order) or NEWEST_FIRST
        items, first = self._visible(), columns[0].removeprefix("-")
        if first in MEASURED:
            items = items.filter(**{f"{first}__isnull": False})
        # For the first page, read more keys than it shows: their number is also the count.
        most = size + 1 if after else max(size, COUNTED) + 1
        pks, whole = self._keys(_after(items, columns, after), columns, size + 1, most)
        listed = self.model._default_manager.filter(pk__among=pks[:size]).only(*LISTED[self.model])
        rows = {row.pk: row for row in listed.select_related("license")}
        # A row may have been deleted in between.
        shown = [rows[pk] for pk in pks[:size] if pk in rows]
        following = _cursor(columns, shown[-1]) if shown and len(pks) > size else ""
        found = min(len(pks), COUNTED)
        return ListPage(shown, following, None if after else found, not whole or len(pks) > found)

    def newest(self, most: int) -> tuple[list[int], bool]:
        """Return the newest matches' keys, and whether these are all, or `most` in number."""
        return self._keys(self._visible(), NEWEST_FIRST, SUFFICIENT, most)

    def count(self) -> str:
        """Return the number of matches, or a lower bound such as “200+”."""
        keys, whole = self.newest(COUNTED + 1)
        return f"{min(len(keys), COUNTED)}{'' if whole and len(keys) <= COUNTED else '+'}"

    def without(self, *keys: str) -> "Listing":
        """Return the list without the conditions of these keys of the filter."""
        filter = self.filter
        for key in keys:
            filter = filter.without(key)
        return replace(self, filter=filter)

    def _visible(self) -> QuerySet[Any]:
        """Select the items to filter. In a blind review, no filter may reveal the first verdict."""
        items: QuerySet[Any] = self.model._default_manager.all()
        if second.tells(self.filter):
            return items.exclude(second.blind(self.model, self.user))
        return items

    def _keys(
        self, items: QuerySet[Any], columns: tuple[str, ...], few: int, most: int
    ) -> tuple[list[int], bool]:
        """Return the first matches' keys, and whether these are all matches, or `most` in number.

        If a text or a verdict is common, `few` keys from the newest rows are enough.
        """
        rows = self.filter.of(items, bounded=True)
        searched = bool(self.filter.q) and columns == NEWEST_FIRST and not hits_are_in_order()
        steps: list[tuple[QuerySet[Any], int]] = []
        if searched:
            # PostgreSQL does not estimate how common a text is. If it is common, the newest rows
            # suffice. If it is rare, all matches are sorted quickly.
            read = self.filter.without("q").of(items).filter(reads(self.model, self.filter.q))
            steps = [(read, READ), (rows, LOOKED_UP)]
        elif self.filter.validation and columns == NEWEST_FIRST:
            steps = [(rows, TRIED)]
        last = (items.aggregate(n=Max("pk"))["n"] or 0) if steps else 0
        for matches, length in steps:
            newest = matches.filter(pk__gt=last - length).order_by("-pk")
            keys = list(newest.values_list("pk", flat=True)[:most])
            if len(keys) >= few:
                return keys, len(keys) == most or last <= length
        # Sort by an expression, so that PostgreSQL does not search the primary key for matches.
        order = ((F("pk") + 0).desc(),) if searched else columns
        return list(rows.order_by(*order).values_list("pk", flat=True)[:most]), True


def places(items: list[Any]) -> dict[int, tuple[str, str]]:
    """Return the newest repository and path of each item's kernel."""
    kernels = [item.pk if isinstance(item, Kernel) else item.kernel_id for item in items]
    seen = Provenance.objects.filter(kernel__among=[pk for pk in kernels if pk], retired_at=None)
    columns = ("kernel", "source_file__repository__name", "source_file__path")
    rows = seen.order_by("-pk").values_list(*columns)
    return {kernel: (repository, path) for kernel, repository, path in rows}


def columns_of(model: Model, order: str) -> tuple[str, ...] | None:
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
    """Return the rows after the cursor. An invalid cursor gives all rows."""
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
            # AND at the top level uses the index; OR would read all rows.
            condition = Q(**{f"{compare}e": value}) & (behind | condition) if condition else behind
        return rows.filter(condition)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return rows


def excerpts(model: Model, pks: Sequence[int], texts: Sequence[str]) -> dict[int, str]:
    """Return the first line that contains the first of `texts`, by key.

    Only the characters around the hit are read, because a text may have megabytes.
    """
    text = next((text for text in texts if len(text) >= TRIGRAM), "")
    if not text or not pks:
        return {}
    lines: dict[int, str] = {}
    for column in SEARCHED[model._meta.db_table][1:]:
        rows = (
            model._default_manager.filter(pk__among=list(pks))
            .annotate(at=StrIndex(Upper(column), Upper(Value(text))))
            .filter(at__gt=0)
            .annotate(begin=Greatest(F("at") - BEFORE, Value(1)))
            .annotate(part=Substr(column, Cast("begin", IntegerField()), AROUND))
        )
        for pk, at, begin, part in rows.values_list("pk", "at", "begin", "part"):
            lines.setdefault(pk, _line(part, at - begin))
    return lines


def _line(part: str, place: int) -> str:
    """Return the line at an offset of `part`, stripped and cut."""
    start = part.rfind("\n", 0, place) + 1
    end = part.find("\n", place)
    line = part[start : end if end >= 0 else len(part)].strip()
    return line[:SHOWN]
