"""Views that queue a validation: of an item, a list, a finished draft, or an edited pair."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from curation.decisions.drafts import finish
from curation.decisions.editing import PairTexts, as_record, edited, save_version
from curation.errors import CurationError
from curation.jobs.cancel import cancel
from curation.models import Device, DraftState, Kernel, Pair, TriedCase
from curation.pairs.unfinished import as_pair
from curation.search.filters import Filter
from curation.search.matching import WrongFilter
from curation.text import pluralize
from curation.web.access import item_or_404, may_edit_pairs, may_finish_drafts, number, person
from curation.web.cases import changed_values, read_cases
from curation.web.try_tab import CHANGES, FIRST_WRONG, PROGRAM
from curation.web.views.drafts import draft_or_404, editor, written
from curation.web.views.edit import pair_editor
from curation.web.views.item import address
from validation.checkers import checkable
from validation.pairs.contract import violations
from validation.run_requests import request_case, request_validation, without_verdict

may_ask = permission_required("curation.add_validationrun", raise_exception=True)
may_try = permission_required("curation.add_triedcase", raise_exception=True)
may_make = permission_required("curation.add_pair", raise_exception=True)


@may_ask
@require_POST
def validate_item(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    item = item_or_404(kind, pk)
    _queue(request, item)
    return redirect(address(item))


@may_ask
@require_http_methods(["GET", "HEAD", "POST"])
def validate_list(request: HttpRequest) -> HttpResponse:
    """Show the number of pairs in a list. When confirmed, queue their validation."""
    query = request.POST.get("filter", request.META["QUERY_STRING"])
    device = Device(settings.VALIDATION_DEVICE)
    try:
        pairs = Filter.from_query(query).of(checkable())
    except WrongFilter as error:
        messages.error(request, str(error))
        return redirect(f"{reverse('find')}?items=pairs")
    fresh = without_verdict(pairs, device)
    if request.method != "POST":
        shown = {"query": query, "device": device.label, "all": pairs.count()}
        return render(request, "curation/validate.html", {**shown, "fresh": fresh.count()})
    items = (fresh if "fresh" in request.POST else pairs).only("pk", "content_hash")
    runs = request_validation(
        items.order_by("pk").iterator(), device=device, requested_by=person(request)
    )
    count = pluralize(sum(run.total for run in runs), "pair")
    messages.success(request, f"{count} in {pluralize(len(runs), 'run')}: queued.")
    return redirect(f"{reverse('runs')}?kind=validation")


@may_try
@require_POST
def try_case(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue one case of a pair's test with the form's values, or cancel the user's queued case.

    Returns the updated tab.
    """
    pair = item_or_404("pairs", pk)
    if key := request.POST.get("cancel"):
        return _cancel(request, pair, number(key))
    place, change = request.POST.get("place", ""), request.POST.get("change", "")
    program = request.POST.get("program")
    tab = "try" if program is None else "values"
    query = {"tab": tab, "case": place, "queue": request.POST.get("queue", "")}
    address = f"{pair.get_absolute_url()}?{urlencode({k: v for k, v in query.items() if v})}"
    if not place.isdecimal() or len(place) > 4 or change not in CHANGES:
        messages.error(request, "This form has another case than the test. Load the page again.")
        return redirect(address)
    if program is not None and not PROGRAM.fullmatch(program.strip()):
        messages.error(request, "Write the program as up to three numbers, such as 0 or 1, 2.")
        return redirect(address)
    cases = read_cases(pair.test_code)
    case = cases[int(place)] if int(place) < len(cases) else {}
    prefix = "value-"
    given = {
        key.removeprefix(prefix): text
        for key, text in request.POST.items()
        if key.startswith(prefix) and isinstance(text, str)
    }
    try:
        instead = changed_values(case, given)
    except ValueError as error:
        messages.error(request, str(error))
        return redirect(address)
    request_case(
        pair, place=int(place), instead=instead, change=change, requested_by=person(request),
        program="" if program is None else program.strip() or FIRST_WRONG,
    )  # fmt: skip
    return redirect(address)


def _cancel(request: HttpRequest, pair: Pair, pk: int) -> HttpResponse:
    run = get_object_or_404(TriedCase, pk=pk, pair=pair, requested_by=person(request))
    try:
        cancel(run, by=person(request))
    except CurationError as error:
        messages.warning(request, str(error))
    tab = "values" if run.program else "try"
    return redirect(f"{pair.get_absolute_url()}?tab={tab}&run={pk}")


@may_finish_drafts
@may_make
@may_ask
@require_POST
def finish_draft(request: HttpRequest, pk: int) -> HttpResponse:
    """Save the draft. If it satisfies the contract, make it a pair."""
    draft = draft_or_404(pk)
    if draft.pair is not None:
        messages.warning(request, f"{draft} has become this pair already.")
        return redirect(draft.pair)
    saved = written(request, draft, DraftState.OPEN)
    if isinstance(saved, HttpResponse):
        return saved
    if broken := violations(as_pair(saved).as_record()):
        return editor(request, saved, broken, code=400)
    try:
        with transaction.atomic():
            pair = finish(draft=saved, author=person(request))
            _queue(request, pair)
    except CurationError as error:
        return editor(request, draft_or_404(pk), [str(error)], typed=request.POST, code=409)
    return redirect(pair)


@may_edit_pairs
@require_POST
def save_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Save an edit as the next version of a pair, and queue its validation.

    An edit that violates the contract is not saved. The page shows it again.
    """
    pair = get_object_or_404(Pair, pk=pk)
    texts = PairTexts(*(request.POST.get(name, "") for name in Pair.SOURCES))
    description = request.POST.get("description", "")
    try:
        version = edited(pair=pair, texts=texts, author=person(request), description=description)
        if version is pair:
            messages.success(request, "The description is saved.")
            return redirect(pair)
        known, broken = _violations(pair, version)
        if broken:
            return pair_editor(request, pair, texts, broken, description)
        with transaction.atomic():
            save_version(version)
            messages.success(request, f"{version} is a new version of {pair}. It is pending.")
            for sentence in known:
                messages.warning(request, f"Not mended by this edit: {sentence}")
            _queue(request, version)
    except CurationError as error:
        return pair_editor(request, pair, texts, [str(error)], description)
    return redirect(version)


def _violations(old: Pair, new: Pair) -> tuple[list[str], list[str]]:
    """Return the violations that a new version inherits, and those that the edit causes.

    All violations in an edited text count as caused by the edit.
    """
    before, after = violations(as_record(old)), violations(as_record(new))
    touched = tuple(name for name in Pair.SOURCES if getattr(old, name) != getattr(new, name))
    known = [one for one in after if one in before and not one.startswith(touched)]
    return known, [one for one in after if one not in known]


def _queue(request: HttpRequest, item: Any) -> None:
    """Queue a check: kernels are compiled, pairs run on the installation's default device."""
    kernel = isinstance(item, Kernel)
    device = Device.COMPILER if kernel else Device(settings.VALIDATION_DEVICE)
    try:
        request_validation([item], device=device, requested_by=person(request))
    except CurationError as error:
        messages.warning(request, f"Not queued: {error}")
    else:
        messages.success(request, f"Queued: {device.label}. Its result will appear here.")
