"""The page that greets a new installation, and leads once from a source to a dataset."""

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from curation.errors import CurationError
from curation.models import IngestRun, Kernel, Origin, Pair, PairOrigin, Repository
from curation.review.access import number, person
from ingest.requests import request_ingest

may_ingest = permission_required("curation.add_ingestrun", raise_exception=True)


@require_http_methods(["GET", "HEAD", "POST"])
@may_ingest
def welcome(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        _queue(request)
        return redirect("welcome")
    by_hand = Pair.objects.filter(origin=PairOrigin.MANUAL)
    shown = {
        "by_hand": by_hand.count(),
        "checked": by_hand.exclude(validationresults=None).distinct().count(),
        "sources": _sources(),
        "has_kernels": Kernel.objects.exists(),
    }
    return render(request, "curation/welcome.html", shown)


def _queue(request: HttpRequest) -> None:
    wanted = number(request.POST.get("source", ""))
    source = next((source for source in _sources() if source.pk == wanted), None)
    if source is None:
        messages.error(request, "Choose one of the sources. Nothing has changed.")
        return
    try:
        request_ingest(source, requested_by=person(request))
    except CurationError as error:
        messages.warning(request, f"Not queued: {error}")
    else:
        messages.success(request, f"{source} is queued. Look here again in a minute.")


def _sources() -> QuerySet[Repository]:
    """Those on the web that come first, and how the newest ingest of each went."""
    newest = IngestRun.objects.filter(repository=OuterRef("pk")).order_by("-pk")
    return (
        Repository.objects.enabled()
        .sources()
        .filter(origin=Origin.GIT)
        .annotate(
            last_state=Subquery(newest.values("state")[:1]),
            last_message=Subquery(newest.values("message")[:1]),
        )[:10]
    )
