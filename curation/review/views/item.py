"""The page of a kernel or a pair, and the queue that leads from one to the next."""

import uuid
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from curation.filters import Filter
from curation.matching import KINDS, WrongFilter
from curation.models import Decision, Pair, Status
from curation.review import claims, rows
from curation.review.access import item_or_404, may_review, person, there
from curation.review.decisions import Kind
from curation.review.page import Reason, context, reasons
from curation.review.queue import next_item, waiting

# A queue is counted so far and no further.
MANY, MANY_SECONDS = 1000, 30


@require_safe
@may_review
def queue(request: HttpRequest) -> HttpResponse:
    """On to what is to be decided next; its page has an address of its own."""
    try:
        filter = Filter.from_query(request.META["QUERY_STRING"])
    except WrongFilter as error:
        messages.error(request, str(error))
        return redirect("find")
    item = next_item(person(request), filter)
    if item is None:
        return render(request, "curation/empty_queue.html", {"filter": filter})
    return redirect(address(item, filter.query()))


@require_safe
@may_review
def item(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    return page(request, kind, pk)


@require_safe
@may_review
def text(request: HttpRequest, kind: str, pk: int, column: str) -> HttpResponse:
    """Send one whole text of an item as a file: nothing of it is cut, boxed or run."""
    found = item_or_404(kind, pk)
    if column not in found.SOURCES:
        raise Http404(f"The {kind} have no text {column}.")
    return HttpResponse(
        getattr(found, column),
        content_type="text/plain; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{column}.py"',
            "X-Content-Type-Options": "nosniff",
        },
    )


def page(
    request: HttpRequest,
    kind: str,
    pk: int,
    typed: dict[str, Any] | None = None,
    code: int = 200,
) -> HttpResponse:
    """Show the page of an item.

    `typed` holds the fields of a form that was refused. Without it the form shows the decision that
    the person took back, or else the item as it is.
    """
    user = person(request)
    found = there(kind, rows.whole(KINDS[kind], pk, user))
    wanted = {key: str(value) for key, value in request.GET.items()}
    shown = context(found, wanted.get("tab", ""), wanted, user)
    settles = shown["dispute"] and not shown["refusal"]
    open_ = found.status == Status.PENDING or shown["blind"] or settles
    own = isinstance(found, Pair) and found.author_id == user.pk
    token = _claim(found, user) if open_ and not own and request.method != "HEAD" else None
    typed = typed or _fields(found, rows.undone(found, user))
    shown |= {
        "claim": token,
        "own": own,
        "held_by": (found.held_by or "Somebody else")
        if open_ and not own and token is None
        else None,
        "queue": request.POST.get("queue", wanted.get("queue", "")),
        "typed": typed,
        "operations": _choices(found, "operation_type", typed),
        "difficulties": _choices(found, "difficulty", typed),
        "reasons": _ticked(reasons(), typed.get("reasons", ())),
    }
    return render(request, "curation/item.html", shown, status=code)


@require_POST
@may_review
def claim(request: HttpRequest) -> HttpResponseBase:
    """An open page renews its claim, and lets go of it when it is left."""
    try:
        token = uuid.UUID(request.POST.get("token", ""))
    except ValueError:
        return JsonResponse({"error": "That is no claim."}, status=400)
    if request.POST.get("release"):
        claims.release(token, person(request))
        return JsonResponse({"held": False})
    return JsonResponse({"held": claims.renew(token, person(request))})


def address(item: Any, queue: str = "") -> str:
    url: str = item.get_absolute_url()
    return f"{url}?{urlencode({'queue': queue})}" if queue else url


def queue_length(request: HttpRequest) -> dict[str, Any]:
    """For the bar of every page. Few are counted for each, or one's last decision would not show;
    that there are many is remembered for half a minute."""
    if not request.user.is_authenticated:
        return {}

    def length() -> str:
        key, many = f"many-wait-{request.user.pk}", f"{MANY - 1}+"
        if cache.get(key):
            return many
        count = waiting(person(request), MANY)
        if count < MANY:
            return str(count)
        cache.set(key, True, MANY_SECONDS)
        return many

    return {"queue_length": length}


def _claim(found: Any, user: User) -> uuid.UUID | None:
    """None: somebody else is looking at it."""
    if found.claimed_just_now:
        return found.claimed_just_now  # type: ignore[no-any-return]
    claim = claims.take(found, user)
    return claim.token if claim else None


def _fields(item: Any, undone: Decision | None) -> dict[str, Any]:
    """Return what the form of `item` is filled with before anyone types."""
    if undone is None:
        return {"tags": _tags(item.tags)}
    correction = getattr(undone, "correction", None)
    kind = correction.after if correction else Kind.of(item).columns()
    return {
        "comment": undone.comment,
        "reasons": undone.reasons,
        **kind,
        "tags": _tags(kind["tags"]),
    }


def _tags(tags: Iterable[Any]) -> str:
    return ", ".join(map(str, tags))


def _choices(item: Any, field: str, typed: dict[str, Any]) -> SafeString:
    now = getattr(item, field)
    values = tuple(value for value, _ in item._meta.get_field(field).choices)
    chosen = typed.get(field)
    return _options(values, bool(now), chosen if chosen in values else now)


def _ticked(offered: tuple[Reason, ...], ticked: Iterable[str]) -> SafeString:
    # The cache counts entries: a text of any length that a request sends is no part of its keys.
    ticked = {*ticked}
    return _reasons(offered, tuple(one.text for one in offered if one.text in ticked))


# Of what is the same on nearly every page, a template would spend most of its time.
@lru_cache(maxsize=256)
def _options(values: tuple[str, ...], known: bool, chosen: str) -> SafeString:
    choices = [(value, value) for value in values]
    if not known:
        choices.insert(0, ("", "not known"))
    return render_to_string("curation/options.html", {"choices": choices, "chosen": chosen})


@lru_cache(maxsize=256)
def _reasons(offered: tuple[Reason, ...], ticked: tuple[str, ...]) -> SafeString:
    return render_to_string("curation/reasons.html", {"reasons": offered, "ticked": ticked})
