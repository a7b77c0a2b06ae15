"""Bulk decision pages: count, reason, confirmation, undo."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from curation.decisions.bulk import (
    MODELS,
    MOST,
    decide_all,
    decide_cluster,
    dry_counts,
    finish,
    undo_all,
)
from curation.errors import Conflict, CurationError
from curation.models import BulkDecision, DecisionReason, Status
from curation.search.filters import Filter
from curation.search.matching import WrongFilter
from curation.text import pluralize
from curation.web.access import item_or_404, may_decide_in_bulk, person
from curation.web.views.item import address


@require_http_methods(["GET", "HEAD", "POST"])
@may_decide_in_bulk
def bulk(request: HttpRequest) -> HttpResponse:
    user = person(request)
    query = (
        request.POST.get("filter", "") if request.method == "POST" else request.META["QUERY_STRING"]
    )
    code = 200
    try:
        filter = Filter.from_query(query)
        if request.method == "POST":
            status = request.POST.get("status", "")
            if status not in (Status.APPROVED, Status.REJECTED):
                raise CurationError("Choose to approve or to reject.")
            done = decide_all(
                filter=filter,
                status=Status(status),
                user=user,
                request=_uuid(request),
                counted=request.POST.get(f"counted_{status}", ""),
                reasons=[reason[:100] for reason in request.POST.getlist("reason")[:20]],
                comment=request.POST.get("comment", "")[:10_000],
            )
            return _done(request, done)
    except CurationError as error:
        messages.error(request, str(error))
        code = 409 if isinstance(error, Conflict) else 400
        if isinstance(error, WrongFilter):
            filter = Filter()
    approve, reject = dry_counts(filter, user) if filter else (None, None)
    shown = {
        "filter": filter,
        "rest": filter.without("id").without("items").text(),
        "named": _named(filter),
        "query": filter.query(),
        "approve": approve,
        "reject": reject,
        "most": MOST,
        "reasons": [
            (f"Reasons to {verb}", DecisionReason.objects.filter(offered=True, status=status))
            for verb, status in (("approve", Status.APPROVED), ("reject", Status.REJECTED))
        ],
        "ticked": request.POST.getlist("reason"),
        "comment": request.POST.get("comment", ""),
        "request_id": uuid.uuid4(),
        "recent": BulkDecision.objects.select_related("user")[:20],
    }
    return render(request, "curation/bulk.html", shown, status=code)


@require_POST
@may_decide_in_bulk
def finish_bulk(request: HttpRequest, pk: int) -> HttpResponse:
    """Finish an interrupted bulk decision, in the name of its author."""
    done = get_object_or_404(BulkDecision, pk=pk)
    finish(bulk=done)
    return _done(request, done)


@require_POST
@may_decide_in_bulk
def undo_bulk(request: HttpRequest, pk: int) -> HttpResponse:
    done = get_object_or_404(BulkDecision, pk=pk)
    undone = undo_all(bulk=done, user=person(request))
    left = done.decisions.filter(undoes=None, undone_by=None).count()
    kept = f" Skipped {pluralize(left, 'item')} decided on since." if left else ""
    messages.success(request, f"{pluralize(undone, 'decision')} undone.{kept}")
    return redirect("bulk")


@require_POST
@may_decide_in_bulk
def cluster(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    item = item_or_404(kind, pk)
    try:
        done = decide_cluster(item=item, user=person(request), request=_uuid(request))
    except CurationError as error:
        messages.error(request, str(error))
        return redirect(address(item))
    messages.success(
        request, f"{item} is approved, its near-duplicates are rejected: {done.count} items in all."
    )
    return redirect(f"{reverse('queue')}") if done.count else redirect(address(item))


def _named(filter: Filter) -> list[Any]:
    """Return the items that were ticked one by one."""
    if not filter.id:
        return []
    named: list[Any] = []
    for model in MODELS:
        items: Any = model._default_manager.without_sources()
        named += filter.of(items).order_by("pk")
    return named


def _done(request: HttpRequest, bulk: BulkDecision) -> HttpResponse:
    messages.success(request, f"{pluralize(bulk.count, 'item')} {bulk.status}.")
    return redirect("bulk")


def _uuid(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("request", ""))
    except ValueError:
        raise CurationError("The form was incomplete. Nothing has changed.") from None
