"""Lists of items: filters, search, saved views. The URL determines the list."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from curation.decisions import second_reviews as second
from curation.models import Difficulty, Kernel, LicenseVerdict, PairOrigin, SavedView, Status
from curation.search.filters import CHOICES, KEYS, Filter
from curation.search.matching import KINDS, WrongFilter
from curation.templatetags.review import moment
from curation.web import listing
from curation.web.access import may_review, number, person

LABELS = {
    "verdict": "License verdict", "license": "License", "q": "Search", "finding": "Quality warning",
    "duplicates": "Near-duplicates", "contaminated": "Benchmark overlap",
    "decided": "Decision date",
}  # fmt: skip
SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
# Keys of the list itself, not of its filter.
OWN_KEYS = ("items", "order", "after")
FIELDS = tuple(key for key in KEYS if key not in (*OWN_KEYS, "q"))
FREE = tuple(key for key in FIELDS if key not in CHOICES)
HINTS = {
    "repository": "owner/name", "license": "MIT", "tag": "online-softmax", "reviewer": "name",
    "decided": "2026-01-01..2026-01-31", "finding": "gate, or none",
}  # fmt: skip


@require_safe
@may_review
def find(request: HttpRequest) -> HttpResponse:
    written = parse_qsl(request.META["QUERY_STRING"], keep_blank_values=True)
    own = {key: value for key, value in written if key in OWN_KEYS}
    kind = own.get("items") if own.get("items") in KINDS else "kernels"
    order = own.get("order") if own.get("order") in listing.ORDERS else "newest"
    assert kind is not None  # noqa: S101 - for mypy
    assert order is not None  # noqa: S101
    code = 200
    try:
        filter = Filter.parse((key, value) for key, value in written if key not in OWN_KEYS)
    except WrongFilter as error:
        messages.error(request, str(error))
        filter, code = Filter(), 400
    user = person(request)
    page = listing.a_page(KINDS[kind], filter, order, own.get("after", ""), user)
    seen = listing.places(page.items)
    visibilities = second.visibilities(KINDS[kind], [item.pk for item in page.items], user)
    shown = {
        "kind": kind,
        "order": order,
        "filter": filter,
        "query": filter.query(),
        "these": urlencode([("items", kind), *filter.pairs()]),
        "words": " ".join(filter.q),
        "rows": [_row(item, seen, visibilities.get(item.pk)) for item in page.items],
        "following": _query(filter, kind, order, page.following) if page.following else "",
        "is_first": not own.get("after"),
        "found": page.found,
        "more": page.more,
        "fields": [_field(key, getattr(filter, key)) for key in FIELDS],
        "other_kind": _query(filter, "pairs" if kind == "kernels" else "kernels", order),
        "chips": [
            (f"{_label(key)}: {value}", _query(_less(filter, key, value), kind, order))
            for key, value in filter.pairs()
        ],
        "views": SavedView.objects.filter(user=user),
    }
    return render(request, "curation/find.html", shown, status=code)


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
        try:
            with transaction.atomic():
                SavedView.objects.create(user=user, name=name, query=query)
        except IntegrityError:
            SavedView.objects.filter(user=user, name=name).update(query=query)
        messages.success(request, f"Saved as “{name}”.")
    return redirect(f"{reverse('find')}?{query}" if query else reverse("find"))


def _query(filter: Filter, kind: str, order: str, after: str = "") -> str:
    own = [("items", kind)] if kind != "kernels" else []
    own += [("order", order)] if order != "newest" else []
    own += [("after", after)] if after else []
    return urlencode([*own, *filter.pairs()])


def _less(filter: Filter, key: str, value: str) -> Filter:
    return Filter.parse(pair for pair in filter.pairs() if pair != (key, value))


def _row(
    item: Any, seen: Mapping[int, tuple[str, str]], visibility: second.Visibility | None
) -> dict[str, Any]:
    """Return plain strings: attribute lookups in the template would take longer than the query."""
    kernel = isinstance(item, Kernel)
    blind = visibility == second.Visibility.BLIND
    kind = [item.operation_type] if item.operation_type else []
    kind += [Difficulty(item.difficulty).label.lower()] if item.difficulty else []
    return {
        "url": item.get_absolute_url(),
        "name": str(item),
        "place": SEPARATOR.join(seen.get(item.pk if kernel else item.kernel_id, ())),
        "status": Status.PENDING if blind else item.status,
        "status_label": "Second review" if blind else Status(item.status).label,
        "disputed": visibility == second.Visibility.DISPUTED,
        "kind": ", ".join(kind),
        "verdict": item.license_verdict,
        "license": item.license or LicenseVerdict(item.license_verdict).label,
        "last": item.lines if kernel else PairOrigin(item.origin).label,
        "came": moment(item.created_at),
    }


# Values come from the URL, so an entry has up to about 50 kB.
@lru_cache(maxsize=128)
def _field(key: str, values: tuple[str, ...]) -> SafeString:
    """Render the fields of one filter. Most are unchanged, and the same on every page."""
    shown = {
        "key": key,
        "label": _label(key),
        "choices": [(value, value in values) for value in CHOICES.get(key, values)],
        "free": key in FREE,
        "hint": HINTS.get(key, ""),
        "set": len(values),
    }
    return render_to_string("curation/filter_field.html", shown)


def _label(key: str) -> str:
    return LABELS.get(key, key.capitalize())
