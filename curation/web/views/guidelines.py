"""Guidelines of operations: the list, the page of one with its history, and the editor."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from curation.decisions import guidelines as written
from curation.decisions.guidelines import CurrentGuideline
from curation.errors import CurationError
from curation.models import Guideline, Kernel, OperationType, Pair
from curation.search.matching import KINDS
from curation.web.access import may_review, number, person
from curation.web.markdown import rendered

may_edit_guidelines = permission_required("curation.add_guideline", raise_exception=True)

SHOWN = 50


@require_safe
@may_review
def guidelines(request: HttpRequest) -> HttpResponse:
    """List the operations, each with its last change."""
    rows = Guideline.objects.select_related("author").defer("text").order_by("pk")
    newest = {row.operation_type: row for row in rows}
    shown = [(operation, newest.get(operation)) for operation in OperationType.values]
    return render(request, "curation/guidelines.html", {"operations": shown})


@require_safe
@may_review
def guideline(request: HttpRequest, operation: str) -> HttpResponse:
    """Show text, examples and versions; `?version=` adds what a version has changed."""
    current = _checked(operation)
    versions = list(written.versions(operation)[: SHOWN + 1])
    shown = {
        "guideline": current,
        "html": rendered(current.text),
        "versions": versions[:SHOWN],
        "item": request.GET.get("item", "")[:200],
        **_changed(operation, versions, number(request.GET.get("version", ""))),
    }
    return render(request, "curation/guideline.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@may_edit_guidelines
def edit_guideline(request: HttpRequest, operation: str) -> HttpResponse:
    _checked(operation)
    newest, problem = written.versions(operation).first(), ""
    text = request.POST.get("text", "")
    if request.method == "POST":
        try:
            seen = number(request.POST.get("seen", ""))
            written.save(operation_type=operation, text=text, seen=seen, author=person(request))
            messages.success(request, f"The guidelines of {operation} are saved.")
            return redirect("guideline", operation)
        except CurationError as error:
            problem = str(error)
    else:
        text = newest.text if newest else written.default_text(operation)
    shown = {
        "operation": operation, "text": text, "problem": problem,
        "seen": newest.pk if newest else 0,
    }  # fmt: skip
    return render(request, "curation/edit_guideline.html", shown, status=400 if problem else 200)


@require_POST
@may_edit_guidelines
def guideline_example(request: HttpRequest, operation: str) -> HttpResponse:
    """Add an item as an example, or remove an example."""
    _checked(operation)
    try:
        if key := number(request.POST.get("remove", "")):
            written.remove_example(operation, key)
            messages.success(request, "Example removed.")
        else:
            item = _item_at(request.POST.get("item", ""))
            reason = request.POST.get("reason", "")
            written.add_example(
                operation_type=operation, item=item, reason=reason, user=person(request)
            )
            messages.success(request, f"{item} is an example now.")
    except CurationError as error:
        messages.error(request, str(error))
    return redirect("guideline", operation)


def _checked(operation: str) -> CurrentGuideline:
    current = written.current(operation)
    if current is None:
        raise Http404(f"There is no operation {operation}.")
    return current


def _item_at(address: str) -> Kernel | Pair:
    """Return the item of the URL or path of its page."""
    try:
        match = resolve(urlsplit(address.strip()).path)
    except (Resolver404, ValueError):
        match = None
    if match is None or match.url_name not in ("kernel", "pair"):
        raise CurationError("Give the address of an item's page, such as /kernels/12/.")
    rows: Any = KINDS[match.kwargs["kind"]]._default_manager
    item: Kernel | Pair | None = rows.filter(pk=match.kwargs["pk"]).first()
    if item is None:
        raise CurationError(f"There is no item at {address.strip()}.")
    return item


def _changed(operation: str, versions: list[Guideline], key: int) -> dict[str, Any]:
    """Return what the version with this key has changed."""
    for place, version in enumerate(versions):
        if version.pk == key:
            older = versions[place + 1].text if place + 1 < len(versions) else None
            before = written.default_text(operation) if older is None else older
            return {"version": version, "lines": written.differences(before, version.text)}
    return {}
