"""Page for a new installation: a checklist of the steps from a source to a dataset."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from curation.errors import CurationError
from curation.models import (
    Actor,
    Decision,
    ExportRun,
    IngestRun,
    Kernel,
    Origin,
    Pair,
    PairOrigin,
    Provenance,
    Release,
    Repository,
    RunState,
    SplitAssignment,
    Status,
)
from curation.people import GRANTED
from curation.web.access import person
from ingest.git import parse_source
from ingest.report import read_sources
from ingest.requests import request_ingest
from ingest.sources import take_up

may_ingest = permission_required("curation.add_ingestrun", raise_exception=True)

SHOWN = 10
LONGEST = 500


@require_safe
@may_ingest
def welcome(request: HttpRequest) -> HttpResponse:
    steps = {
        "ingest": _ingested(),
        "review": _reviewed(),
        "export": _exported(),
        "invite": _invited(),
    }
    context = steps | {
        "next": next((name for name, step in steps.items() if not step["done"]), ""),
        "known": _known_sources(),
    }
    return render(request, "curation/welcome.html", context)


@require_POST
@may_ingest
def queue_ingest(request: HttpRequest) -> HttpResponse:
    """Queue the ingest of a known source or of a typed repository or folder, and show its run.

    If the text is refused, it is shown again in its field.
    """
    text = request.POST.get("source", "").strip()
    try:
        # A folder must be an absolute path, because the user doesn't know the app's working folder.
        source = parse_source(text, allow_local=True)
        run = request_ingest(take_up(source.location), requested_by=person(request))
    except CurationError as error:
        messages.error(request, f"Not queued: {error}")
        page = "runs" if request.POST.get("page") == "runs" else "welcome"
        return redirect(f"{reverse(page)}?{urlencode({'source': text[:LONGEST]})}")
    messages.success(request, f"{run} is queued.")
    return redirect(run)


def _ingested() -> dict[str, Any]:
    sources = read_sources()
    newest = list(_with_last_run(sources).order_by("-last_ingested_at")[:SHOWN])
    places = Provenance.objects.filter(retired_at=None, source_file__repository__in=newest)
    kernels: dict[int, int] = dict(
        places.order_by()
        .values_list("source_file__repository")
        .annotate(Count("kernel", distinct=True))
    )
    return {
        "done": bool(newest),
        "count": len(newest) if len(newest) < SHOWN else sources.count(),
        "sources": [(source, kernels.get(source.pk, 0)) for source in newest],
    }


def _reviewed() -> dict[str, Any]:
    decisions = Decision.objects.filter(actor=Actor.PERSON, undoes=None, undone_by=None)
    counts = decisions.aggregate(count=Count("pk"), people=Count("user", distinct=True))
    by_hand = Pair.objects.filter(origin=PairOrigin.MANUAL)
    return {
        "done": counts["count"] > 0,
        **counts,
        "by_hand": by_hand.filter(status=Status.PENDING).count(),
        "approved": sum(
            model._default_manager.filter(status=Status.APPROVED).count()
            for model in (Kernel, Pair)
        ),
    }


def _exported() -> dict[str, Any]:
    """Return the state of the export step. A command-line export is recognized by its splits."""
    archives = ExportRun.objects.filter(state=RunState.SUCCEEDED).exclude(archive="").count()
    releases = Release.objects.count()
    return {
        "done": bool(archives or releases) or SplitAssignment.objects.exists(),
        "archives": archives,
        "releases": releases,
    }


def _invited() -> dict[str, Any]:
    """Return the state of the invitation step. The reason: a second review needs two people."""
    count = User.objects.filter(is_active=True, groups__name__in=GRANTED).distinct().count()
    return {"done": count > 1, "count": count}


def _known_sources() -> QuerySet[Repository]:
    """Return the most important sources on the web, with the state of their newest ingest runs."""
    sources = Repository.objects.enabled().sources().filter(origin=Origin.GIT)
    return _with_last_run(sources)[:SHOWN]


def _with_last_run(sources: QuerySet[Repository]) -> QuerySet[Repository]:
    newest = IngestRun.objects.filter(repository=OuterRef("pk")).order_by("-pk")
    return sources.annotate(
        last_state=Subquery(newest.values("state")[:1]),
        last_message=Subquery(newest.values("message")[:1]),
    )
