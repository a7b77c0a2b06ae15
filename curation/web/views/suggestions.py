"""Page of suggested verdicts for pending items, for curators to accept together."""

from typing import Any

from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.decisions import second_reviews as second
from curation.decisions.suggestions import learned, suggestions
from curation.models import Status
from curation.search.matching import KINDS
from curation.web.access import person

may_accept = permission_required("curation.add_bulkdecision", raise_exception=True)

# Pending items that are looked at, the sure ones of which are shown, and how sure they must be.
LOOKED_AT, SHOWN, SURE = 400, 50, 0.9


@require_safe
@may_accept
def suggested(request: HttpRequest) -> HttpResponse:
    kind = request.GET.get("items", "pairs")
    model = KINDS.get(kind, KINDS["pairs"])
    user = person(request)
    pending = model._default_manager.pending().exclude(second.blind(model, user))
    keys = list(pending.order_by("-priority", "pk").values_list("pk", flat=True)[:LOOKED_AT])
    made = suggestions(model, keys)
    rows = {row.pk: row for row in model._default_manager.filter(pk__in=made).without_sources()}
    parts: list[dict[str, Any]] = []
    for status in (Status.APPROVED, Status.REJECTED):
        sure = [key for key in keys if key in made and made[key].status == status]
        sure = [key for key in sure if made[key].sure >= SURE and key in rows][:SHOWN]
        items = [{"item": rows[key], "suggestion": made[key]} for key in sure]
        verb = "Approve" if status == Status.APPROVED else "Reject"
        parts.append({"status": status, "verb": verb, "items": items})
    shown = {
        "kind": kind if kind in KINDS else "pairs", "parts": parts, "rule": learned(model),
        "looked_at": len(keys), "sure": SURE,
    }  # fmt: skip
    return render(request, "curation/suggestions.html", shown)
