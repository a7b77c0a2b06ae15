"""Incomplete drafts of pairs: the list, and the page of a draft.

Conversion into a pair is in `validation`, which checks the contract and queues the validation.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from curation.characters import listed_in
from curation.decisions.drafts import StaleDraft, save
from curation.errors import CurationError
from curation.models import Difficulty, Draft, DraftState, OperationType, Repository
from curation.web.access import may_finish_drafts, number, person
from curation.web.forms import DraftForm
from curation.web.runs import following

PAGE = 50
# Reasons why a draft is not a pair. With the first ones, a draft is closest to a pair.
REASONS = (
    "unreadable", "computes-in-torch", "triton-not-standalone", "inputs-not-standalone",
    "reference-not-standalone", "inputs", "gradients-only", "kernel-against-kernel",
    "no-comparison", "no-test", "no-launcher", "gone",
)  # fmt: skip
LISTED = ("operation", "path", "reason", "missing", "changed_at", "edited_by__username",
          "repository__name")  # fmt: skip


@require_safe
@may_finish_drafts
def drafts(request: HttpRequest) -> HttpResponse:
    state = request.GET.get("state", "")
    state = state if state in DraftState.values else DraftState.OPEN
    reason = request.GET.get("missing", "")
    reason = reason if reason in REASONS else ""
    repository = number(request.GET.get("repository", ""))
    rows = Draft.objects.filter(state=state)
    rows = rows.filter(repository=repository) if repository else rows
    rows = rows.filter(reason=reason) if reason else rows
    has_texts = {f"has_{name}": ~Q(**{name: ""}) for name in Draft.TEXTS}
    listed = rows.select_related("repository", "edited_by").only(*LISTED).annotate(**has_texts)
    page = Paginator(listed.order_by("repository_id", "pk"), PAGE).get_page(request.GET.get("page"))
    query = {"state": state, "repository": repository or "", "missing": reason}
    shown = {
        "rows": page,
        "query": query,
        "narrowed": bool(repository or reason or state != DraftState.OPEN),
        "states": DraftState.choices,
        "reasons": REASONS,
        "repositories": Repository.objects.filter(
            Exists(Draft.objects.filter(repository=OuterRef("pk")))
        ).values_list("pk", "name"),
        "following": urlencode({**query, "page": following(page)}) if page.has_next() else "",
    }
    return render(request, "curation/drafts.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@may_finish_drafts
def draft(request: HttpRequest, pk: int) -> HttpResponse:
    draft_row = draft_or_404(pk)
    if request.method != "POST":
        return editor(request, draft_row)
    dismissed = request.POST.get("do") == "set-aside"
    saved = written(request, draft_row, DraftState.SET_ASIDE if dismissed else DraftState.OPEN)
    if isinstance(saved, HttpResponse):
        return saved
    messages.success(request, f"{saved} is dismissed." if dismissed else f"{saved} is saved.")
    return redirect("drafts" if dismissed else saved)


def draft_or_404(pk: int) -> Draft:
    return get_object_or_404(Draft.objects.select_related("repository", "edited_by"), pk=pk)


def written(request: HttpRequest, draft: Draft, state: DraftState) -> Draft | HttpResponse:
    """Save the submitted draft, or return its page with the problems and the input."""
    form = DraftForm(request.POST)
    try:
        if not form.is_valid():
            raise CurationError("\n".join(form.problems()))
        return save(draft=draft, user=person(request), state=state, **form.values())
    except StaleDraft:
        return editor(request, draft, typed=request.POST, stale=True, code=409)
    except CurationError as error:
        problems = str(error).split("\n")
        return editor(request, draft, problems, typed=request.POST, saved=False, code=400)


def editor(
    request: HttpRequest,
    draft: Draft,
    problems: Sequence[str] = (),
    *,
    typed: QueryDict | None = None,
    stale: bool = False,
    saved: bool = True,
    code: int = 200,
) -> HttpResponse:
    """Render the page of a draft. If `stale`, each pane also shows the stored text."""
    if stale:
        draft.refresh_from_db()
    values = {name: getattr(draft, name) for name in (*Draft.TEXTS, "operation_type", "difficulty")}
    differentiable = draft.differentiable
    now = {name: values[name] for name in Draft.TEXTS}
    if typed is not None:
        values = {name: typed.get(name, "") for name in values}
        differentiable = "differentiable" in typed
    shown = {
        "draft": draft,
        "problems": problems,
        "stale": stale,
        "saved": saved,
        "panes": [_pane(name, values[name], now[name] if stale else None) for name in Draft.TEXTS],
        "typed": values | {"differentiable": differentiable},
        "operations": [(name, name) for name in OperationType.values],
        "difficulties": Difficulty.choices,
    }
    return render(request, "curation/draft.html", shown, status=code)


def _pane(name: str, text: str, other_version: str | None) -> dict[str, Any]:
    plain = text.replace("\r\n", "\n").rstrip()
    differs = other_version is not None and other_version.rstrip() != plain
    return {
        "name": name,
        "text": text,
        "unseen": listed_in(text),
        "other_version": other_version if differs else None,
        "differs": differs,
    }
