"""Lists of items: filters, search, saved views. The URL determines the list."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from curation.decisions import second_reviews as second
from curation.models import SavedView
from curation.search.condition import TRIGRAM
from curation.search.filters import CHOICES, KEYS, MOST_OF_KEY, Filter
from curation.search.matching import KINDS, NONE, WrongFilter
from curation.web.access import may_review, number, person
from curation.web.lists.facets import NEWEST, facet_counts
from curation.web.lists.known_values import COUNTED, TYPED, value_counts
from curation.web.lists.listing import MEASURED as MEASURED_ORDERS
from curation.web.lists.listing import Listing, columns_of, excerpts, places

LABELS = {
    "verdict": "License verdict", "license": "License", "q": "Search", "finding": "Quality warning",
    "duplicates": "Near-duplicates", "contaminated": "Benchmark overlap",
    "decided": "Decision date", "pass_rate": "Pass rate", "unlaunched": "Unlaunched kernels",
    "open_claims": "Open claims",
}  # fmt: skip
SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
# Keys of the URL that are not conditions of the filter.
OWN_KEYS = ("items", "order", "after", "open")
# Filters at the top, which are unfolded, and filters in the section “Measured”.
OPEN = ("status", "operation", "verdict", "origin")
MEASURED = ("registers", "spills", "speedup", "pass_rate", "language", "kind")
FIELDS = (*OPEN, *(key for key in KEYS if key not in (*OWN_KEYS, *OPEN, "id", "q")))
# Labels of the columns. The key is the order that a click on the column head sets.
COLUMNS = {
    "kernels": {"name": "Name", "status": "Status", "open_claims": "Open", "operation": "Operation",
                "license": "License", "lines": "Lines", "registers": "Registers",
                "newest": "Added"},
    "pairs": {"name": "Name", "status": "Status", "open_claims": "Open", "operation": "Operation",
              "license": "License", "origin": "Origin", "speedup": "Speedup",
              "pass_rate": "Pass rate", "newest": "Added"},
}  # fmt: skip
# Orders from the largest or newest to the smallest or oldest.
FALLING = ("newest", "priority", "registers", "speedup", "pass_rate")
VIEWS_MOST = 50
# Filters that don't apply to a kind of item.
OF_OTHERS = {
    "kernels": ("origin", "speedup", "pass_rate", "unlaunched"),
    "pairs": ("language", "kind", "finding", "registers", "spills"),
}
FREE = tuple(key for key in FIELDS if key not in CHOICES)
HINTS = {
    "repository": "owner/name", "license": "MIT", "tag": "online-softmax", "reviewer": "name",
    "decided": "2026-01-01..2026-01-31", "finding": "gate, or none", "speedup": "1.5.. or 1..2",
    "registers": "..64 or 64..128", "pass_rate": "..0.2 or 0.5..1", "open_claims": "0 or 1..3",
}  # fmt: skip


@require_safe
@may_review
def find(request: HttpRequest) -> HttpResponse:
    written = parse_qsl(request.META["QUERY_STRING"], keep_blank_values=True)
    own = {key: value for key, value in written if key in OWN_KEYS}
    kind = own.get("items", "") if own.get("items") in KINDS else "kernels"
    order = own.get("order", "")
    model = KINDS[kind]
    if columns_of(model, order) is None:
        order = "newest"
    code = 200
    try:
        filter = Filter.parse((key, value) for key, value in written if key not in OWN_KEYS)
        Filter.parse([("items", own.get("items", ""))])
    except WrongFilter as error:
        messages.error(request, str(error))
        filter, code = Filter(), 400
    user = person(request)
    listing = Listing(model, filter, user)
    page = listing.page(order, own.get("after", ""))
    pks = [item.pk for item in page.items]
    seen = places(page.items)
    visibilities = second.visibilities(model, pks, user)
    lines = excerpts(model, pks, filter.q)
    counts, whole = facet_counts(listing)
    fits = [key for key in FIELDS if key not in OF_OTHERS[kind]]
    opened: dict[str, dict[str, Any]] = {key: {"open": True} for key in OPEN}
    if (key := own.get("open")) in fits and key not in counts and (key in TYPED or key in CHOICES):
        asked = value_counts(listing, key)
        counts = {**counts, key: asked.counts}
        note = "" if asked.whole else f"Counted in the newest {COUNTED} at most."
        opened[key] = {"open": True, "note": note, "suggested": asked.suggested}
    fields = [
        (key, _field(key, getattr(filter, key), counts.get(key), **opened.get(key, {})))
        for key in fits
    ]
    other = "pairs" if kind == "kernels" else "kernels"
    totals = {
        kind: f"{page.found}{'+' if page.more else ''}" if page.found is not None else "",
        other: Listing(KINDS[other], filter, user).count(),
    }
    shown = {
        "kind": kind,
        "order": order,
        "filter": filter,
        "query": filter.query(),
        "these": urlencode([("items", kind), *filter.pairs()]),
        # In the order of the URL, because the filter sorts its words.
        "words": " ".join(value for key, value in written if key == "q"),
        "rows": [
            {
                "item": item,
                "place": SEPARATOR.join(
                    seen.get(item.pk if kind == "kernels" else item.kernel_id, ())
                ),
                "visibility": visibilities.get(item.pk),
                "excerpt": lines.get(item.pk, ""),
            }
            for item in page.items
        ],
        "columns": _columns(filter, kind, order),
        "order_words": _order_words(kind, order),
        "measured": order.removeprefix("-") in MEASURED_ORDERS,
        "following": _query(filter, kind, order, page.following) if page.following else "",
        "fields": [field for key, field in fields if key not in MEASURED],
        "measured_fields": [field for key, field in fields if key in MEASURED],
        "measures": any(getattr(filter, key) for key in MEASURED),
        "counted": "" if whole else f"Counts are of the newest of these, at most {NEWEST:,}.",
        "tabs": [
            (each, _query(filter, each, order if each == kind else "newest"), totals[each])
            for each in KINDS
        ],
        "found": totals[kind],
        "short": [text for text in filter.q if len(text) < TRIGRAM],
        "chips": _chips(filter, kind, order),
        "views": _views(user),
    }
    return render(request, "curation/find.html", shown, status=code)


@require_safe
@may_review
def selected(request: HttpRequest) -> HttpResponse:
    """Redirect from selected rows of a list to their review, or to a bulk decision on them."""
    kind = request.GET.get("items", "")
    ids = [value for value in request.GET.getlist("id") if number(value)][:MOST_OF_KEY]
    if kind not in KINDS or not ids:
        messages.warning(request, "Tick the rows first.")
        query = urlencode([("items", kind)]) if kind in KINDS else ""
        return redirect(f"{reverse('find')}?{query}")
    target = "bulk" if request.GET.get("to") == "bulk" else "queue"
    return redirect(f"{reverse(target)}?{urlencode([('items', kind), *(('id', i) for i in ids)])}")


@require_POST
@may_review
def save_view(request: HttpRequest) -> HttpResponse:
    name = request.POST.get("name", "").strip()[:80]
    query = request.POST.get("query", "")[:5000]
    user = person(request)
    if request.POST.get("delete"):
        SavedView.objects.filter(user=user, pk=number(request.POST["delete"])).delete()
        messages.success(request, "View deleted.")
    elif not name:
        messages.error(request, "Give the view a name.")
    else:
        shared = bool(request.POST.get("shared"))
        try:
            with transaction.atomic():
                SavedView.objects.create(user=user, name=name, query=query, shared=shared)
        except IntegrityError:
            SavedView.objects.filter(user=user, name=name).update(query=query, shared=shared)
        messages.success(request, f"Saved as “{name}”.")
    return redirect(f"{reverse('find')}?{query}" if query else reverse("find"))


def _views(user: User) -> list[SavedView]:
    """Return the views of the user, then the shared views of others."""
    shown = SavedView.objects.filter(Q(user=user) | Q(shared=True)).select_related("user")
    return sorted(shown[:VIEWS_MOST], key=lambda view: (view.user_id != user.pk, view.name))


def _columns(filter: Filter, kind: str, order: str) -> list[dict[str, Any]]:
    """Return the column heads. A click sorts by the column, a second one reverses the order."""
    heads = []
    for name, label in COLUMNS[kind].items():
        current = order.removeprefix("-") == name
        turned = name if order.startswith("-") or not current else f"-{name}"
        falling = order.startswith("-") != (name in FALLING)
        heads.append({
            "label": label,
            "url": _query(filter, kind, turned),
            "sort": ("descending" if falling else "ascending") if current else "",
        })  # fmt: skip
    return heads


def _order_words(kind: str, order: str) -> str:
    if order.removeprefix("-") == "newest":
        return "newest first" if order == "newest" else "oldest first"
    label = COLUMNS[kind].get(order.removeprefix("-"), "priority").lower()
    return f"by {label}, reversed" if order.startswith("-") else f"by {label}"


def _chips(filter: Filter, kind: str, order: str) -> list[tuple[str, str]]:
    """Return the conditions of the filter, each with the query of the list without it."""
    chips = [
        (f"{_label(key)}: {_words(key, value)}", _query(_less(filter, key, value), kind, order))
        for key, value in filter.pairs()
        if key != "id"
    ]
    if filter.id:
        words = f"{len(filter.id)} selected {kind if len(filter.id) > 1 else kind[:-1]}"
        chips.append((words, _query(filter.without("id"), kind, order)))
    return chips


def _query(filter: Filter, kind: str, order: str, after: str = "") -> str:
    own = [("items", kind)] if kind != "kernels" else []
    own += [("order", order)] if order != "newest" else []
    own += [("after", after)] if after else []
    return urlencode([*own, *filter.pairs()])


def _less(filter: Filter, key: str, value: str) -> Filter:
    return Filter.parse(pair for pair in filter.pairs() if pair != (key, value))


def _field(
    key: str, chosen: tuple[str, ...], counts: Mapping[str, int] | None, **shown: Any
) -> dict[str, Any]:
    """Return the form field of a filter key. With counts, leave out values without matches."""
    counted, counts = counts is not None, counts or {}
    values = list(CHOICES.get(key, counts if counted else chosen))
    if counted:
        values = [value for value in values if value in chosen or counts.get(value)]
    return {
        "key": key,
        "label": _label(key),
        "set": len(chosen),
        "free": key in FREE,
        "hint": HINTS.get(key, ""),
        "countable": not counted and (key in TYPED or key in CHOICES),
        "values": [
            (value, _words(key, value), value in chosen, counts.get(value, 0) if counted else None)
            for value in values
        ],
        **shown,
    }


def _words(key: str, value: str) -> str:
    """Return the label of a value of a filter."""
    if key in CHOICES:
        return CHOICES[key][value]
    if value == NONE and key in ("license", "finding"):
        return f"no {_label(key).lower()}"
    return value.replace("_", " ") if key == "finding" else value


def _label(key: str) -> str:
    return LABELS.get(key, key.capitalize())
