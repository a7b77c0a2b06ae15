"""Page of a kernel or pair, and the queue view that leads to it."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from curation.decisions import claims
from curation.decisions.decide import ItemClassification
from curation.decisions.notices import unread
from curation.decisions.queue import next_item, waiting
from curation.models import Decision, DecisionReason, Difficulty, OperationType, Pair, Status
from curation.search.filters import Filter
from curation.search.matching import KINDS, WrongFilter
from curation.web import rows
from curation.web.access import item_or_404, may_review, number, person, there
from curation.web.page import context

# Limit of the exact queue length, and seconds for which the length and the reasons are cached.
MANY, MANY_SECONDS = 1000, 30
MANY_NOTICES = 100


@require_safe
@may_review
def queue(request: HttpRequest) -> HttpResponse:
    """Redirect to the next item of the queue."""
    try:
        filter = Filter.from_query(request.META["QUERY_STRING"])
    except WrongFilter as error:
        messages.error(request, str(error))
        return redirect("find")
    item = next_item(person(request), filter)
    claims.leave_others(item, person(request))
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
    """Send one complete text of an item as a file, without cuts and boxed characters."""
    item = item_or_404(kind, pk)
    if column not in item.SOURCES:
        raise Http404(f"The {kind} have no text {column}.")
    return HttpResponse(
        getattr(item, column),
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

    `typed` contains the fields of a refused form. Without it, the form shows the decision that the
    user undid, or else the item's values.
    """
    user = person(request)
    item = there(kind, rows.whole.first(KINDS[kind], pk, user, timezone.now()))
    query = {key: str(value) for key, value in request.GET.items()}
    shown = context(item, query.get("tab", ""), query, user)
    settles = shown["dispute"] and not shown["refusal"]
    open_ = item.status == Status.PENDING or shown["blind"] or settles
    own = isinstance(item, Pair) and item.author_id == user.pk
    queue = request.POST.get("queue", query.get("queue", ""))
    typed = _fields(item, None if typed else rows.undone(item, user)) | (typed or {})
    shown |= {
        "own": own,
        "decided": not open_ and item.status in (Status.APPROVED, Status.REJECTED),
        "held_by": item.held_by if open_ and not own else None,
        "free": open_ and not own and not item.held_by,
        "queue": queue,
        "position": _position(request, queue) if queue and open_ else None,
        "typed": typed,
        "operations": OperationType.values,
        "difficulties": Difficulty.values,
        "reasons": cache.get_or_set("reasons", _reasons, MANY_SECONDS),
    }
    return render(request, "curation/item.html", shown, status=code)


@require_POST
@may_review
def claim(request: HttpRequest) -> HttpResponseBase:
    """Claim the item of an open page, renew its claim, or release it when the page is left."""
    user, post = person(request), request.POST
    if (kind := post.get("kind", "")) in KINDS:
        item = item_or_404(kind, number(post.get("pk", "")))
        if taken := claims.take(item, user):
            return JsonResponse({"token": taken.token})
        return JsonResponse({"by": str(claims.holder(item) or "Another reviewer")})
    try:
        token = uuid.UUID(post.get("token", ""))
    except ValueError:
        return JsonResponse({"error": "This is not a claim."}, status=400)
    if post.get("leave"):
        claims.leave(token, user)
        return JsonResponse({"held": False})
    return JsonResponse({"held": claims.renew(token, user)})


def address(item: Any, queue: str = "") -> str:
    url: str = item.get_absolute_url()
    return f"{url}?{urlencode({'queue': queue})}" if queue else url


def queue_length(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the length of the queue.

    A short queue is counted exactly, so that each decision changes the number. The length of a long
    queue is cached as "999+" for 30 s.
    """
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

    return {"queue_length": length, "unread": lambda: _unread(person(request))}


def _position(request: HttpRequest, query: str) -> tuple[int, int] | None:
    """Return the position in a list under review, and the list's length when the review began."""
    try:
        left = waiting(person(request), MANY, Filter.from_query(query))
    except WrongFilter:
        return None
    begun, total = request.session.get("list", ("", 0))
    if begun != query or total < left:
        total = left
        request.session["list"] = (query, left)
    return (min(total - left + 1, total), total) if 0 < total < MANY else None


def _unread(user: User) -> str:
    """Count the unread notices, up to 100."""
    count = unread(user)[:MANY_NOTICES].count()
    return f"{MANY_NOTICES - 1}+" if count >= MANY_NOTICES else str(count or "")


def _reasons() -> list[DecisionReason]:
    return list(DecisionReason.objects.filter(offered=True))


def _fields(item: Any, undone: Decision | None) -> dict[str, Any]:
    """Return the initial values of the form of `item`."""
    correction = getattr(undone, "correction", None)
    kind = correction.after if correction else ItemClassification.of(item).columns()
    said = {"comment": undone.comment, "reasons": undone.reasons} if undone else {}
    return {**said, **kind, "tags": ", ".join(map(str, kind["tags"]))}
