"""Comments on lines, and the notices at the bell."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from curation.decisions import talk
from curation.decisions.notices import unread
from curation.errors import CurationError
from curation.models import LineComment, Notice
from curation.search.matching import about
from curation.templatetags.review import anchor_of, tab_of
from curation.web.access import item_or_404, may_review, number, person

NOTICES = 100


@require_POST
@may_review
def comment(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Comment on a line of an item, or answer in a thread."""
    item = item_or_404(kind, pk)
    own = LineComment.objects.filter(**{about(type(item)): item})
    parent = None
    if request.POST.get("parent"):
        parent = get_object_or_404(own, pk=number(request.POST["parent"]))
    place = "new"
    try:
        made = talk.comment(
            item=item, file=request.POST.get("file", ""), line=number(request.POST.get("line", "")),
            text=request.POST.get("text", ""), author=person(request), parent=parent,
        )  # fmt: skip
        place = f"thread-{made.parent_id or made.pk}"
        if request.POST.get("stay"):
            line = f"{anchor_of(made.file)}{made.line}"
            return redirect(_tab(request, item.get_absolute_url(), tab_of(made.file), line))
    except CurationError as error:
        messages.error(request, str(error))
    return redirect(_tab(request, item.get_absolute_url(), "discussion", place))


@require_POST
@may_review
def change_comment(request: HttpRequest, pk: int) -> HttpResponse:
    """Resolve a thread, open it again, or delete a comment of the user."""
    made = get_object_or_404(LineComment.objects.select_related("kernel", "pair"), pk=pk)
    user, act = person(request), request.POST.get("act", "")
    try:
        if act == "delete":
            talk.delete(made=made, user=user)
        elif act in ("resolve", "reopen"):
            talk.resolve(thread=made, resolved=act == "resolve", user=user)
        else:
            raise Http404(f"Nothing is done by {act!r}.")
    except CurationError as error:
        messages.error(request, str(error))
    place = f"thread-{made.parent_id or made.pk}"
    return redirect(_tab(request, made.item.get_absolute_url(), "discussion", place))


def _tab(request: HttpRequest, url: str, tab: str, place: str) -> str:
    queue = request.POST.get("queue", "")
    query = urlencode({"tab": tab, **({"queue": queue} if queue else {})})
    return f"{url}?{query}#{place}"


@require_safe
@may_review
def notices(request: HttpRequest) -> HttpResponse:
    rows = Notice.objects.filter(user=person(request))
    return render(request, "curation/notices.html", {"notices": rows[:NOTICES]})


@require_POST
@may_review
def read_notices(request: HttpRequest) -> HttpResponse:
    """Mark a notice as read and redirect to its target, or mark all notices as read."""
    user = person(request)
    key = request.POST.get("notice", "")
    if not key:
        unread(user).update(read_at=timezone.now())
        return redirect("notices")
    notice = get_object_or_404(Notice, user=user, pk=number(key))
    unread(user).filter(pk=notice.pk).update(read_at=timezone.now())
    return redirect(notice.url)
