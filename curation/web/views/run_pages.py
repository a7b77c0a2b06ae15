"""Pages of runs for staff: live and ended runs, with the buttons Cancel and Retry."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from curation.errors import CurationError
from curation.jobs.cancel import cancel
from curation.jobs.retry import retry
from curation.models import ExportRun, IngestRun, Run, RunState, TriedCase, ValidationRun
from curation.web.access import may_see_runs, person
from curation.web.runs import ITEMS, KINDS, NO_RESULT, STATES, following, items_of, newest, running

# Verdicts that a retry always includes, and verdicts that it includes on request.
AGAIN, ALSO = ("crashed", NO_RESULT), ("error", "timeout", "failed")

RELATED: dict[type[Run], tuple[str, ...]] = {
    IngestRun: ("repository",), ExportRun: ("release",), TriedCase: ("pair",),
}  # fmt: skip


@require_safe
@may_see_runs
def runs(request: HttpRequest) -> HttpResponse:
    kind = _one_of(KINDS, request.GET.get("kind", ""))
    state = _one_of(STATES, request.GET.get("state", ""))
    after = request.GET.get("after", "")
    page = newest(kind, state, after)
    narrowed = {key: value for key, value in (("kind", kind), ("state", state)) if value}
    shown = {
        "running": [] if after or state else running(kind),
        "page": page,
        "kinds": KINDS,
        "states": STATES,
        "kind": kind,
        "state": state,
        "following": urlencode({**narrowed, "after": page.following}) if page.following else "",
    }
    return render(request, "curation/runs.html", shown)


@require_safe
@may_see_runs
def run(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    shown = _run_or_404(kind, pk)
    if shown.kind != kind:
        return redirect(shown)
    page = request.GET.get("page", "")
    parts = _parts(shown, page)
    context = {
        "run": shown,
        "first": not page,
        "retries": _retries(shown),
        "may": _may_change(request, shown),
        "retryable": not shown.live and _retryable(shown, parts),
        **parts,
    }
    return render(request, "curation/run.html", context)


@require_POST
@may_see_runs
def cancel_run(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    target = _changeable(request, kind, pk)
    try:
        cancel(target, by=person(request))
    except CurationError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{target.label} is cancelled. Its process stops in seconds.")
    return redirect(target)


@require_POST
@may_see_runs
def retry_run(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    target = _changeable(request, kind, pk)
    try:
        queued = retry(target, by=person(request), failed=bool(request.POST.get("failed")))
    except CurationError as error:
        messages.warning(request, f"Not queued: {error}")
        return redirect(target)
    messages.success(request, f"{queued.label} is queued: it retries {target.label}.")
    return redirect(queued)


def _parts(run: Run, page: str) -> dict[str, Any]:
    """Return the parts of the page that only this kind of run has."""
    if isinstance(run, ValidationRun):
        items = items_of(run, page)
        counts = dict(items.counts)
        return {
            "items": items,
            "following": items.following,
            "again": sum(counts.get(verdict, 0) for verdict in AGAIN),
            "also": sum(counts.get(verdict, 0) for verdict in ALSO),
        }
    if isinstance(run, IngestRun):
        drops = Paginator(run.drops.order_by("pk"), ITEMS).get_page(page)
        return {"drops": drops, "following": following(drops)}
    return {"funnel": _funnel(run.funnel)} if isinstance(run, ExportRun) else {}


def _funnel(stages: dict[str, Any]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the counts of each stage, with readable names."""
    return [(name.capitalize(), list(counts.items())) for name, counts in stages.items() if counts]


def _retries(run: Run) -> list[Run]:
    model: Any = type(run)
    return list(model._default_manager.filter(retry_of=run).order_by("pk").defer("log"))


def _retryable(run: Run, parts: dict[str, Any]) -> bool:
    if isinstance(run, ValidationRun):
        return bool(parts["again"] or parts["also"])
    if isinstance(run, ExportRun) and run.archive_removed_at:
        return True
    return run.state in (RunState.FAILED, RunState.CANCELLED)


def _run_or_404(kind: str, pk: int) -> Run:
    if kind not in KINDS:
        raise Http404(f"There are no runs of the kind {kind}.")
    related = ["requested_by", "cancelled_by", "retry_of"]
    related += RELATED.get(KINDS[kind].model, ())
    row: Run | None = (
        KINDS[kind].model._default_manager.select_related(*related).filter(pk=pk).first()
    )
    if row is None:
        raise Http404(f"There is no run {kind}:{pk}.")
    return row


def _changeable(request: HttpRequest, kind: str, pk: int) -> Run:
    target = _run_or_404(kind, pk)
    if not _may_change(request, target):
        raise PermissionDenied
    return target


def _may_change(request: HttpRequest, run: Run) -> bool:
    """Return whether the user may queue such a run, and therefore may cancel and retry it."""
    return person(request).has_perm(f"curation.add_{run._meta.model_name}")


def _one_of(choices: Any, text: str) -> str:
    return text if text in choices else ""
