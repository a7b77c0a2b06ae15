"""What a person has here: tokens for programs, decisions that can still be undone, the keys."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from curation.models import ApiToken
from curation.review import tokens
from curation.review.access import may_review, number, person
from curation.review.decisions import undoable


@require_safe
@may_review
def account(request: HttpRequest) -> HttpResponse:
    user = person(request)
    shown = {"tokens": ApiToken.objects.filter(user=user), "undoable": undoable(user)}
    return render(request, "curation/account.html", shown)


@require_POST
@may_review
def token(request: HttpRequest) -> HttpResponse:
    user = person(request)
    if pk := request.POST.get("revoke", ""):
        ApiToken.objects.filter(user=user, pk=number(pk)).delete()
        messages.success(request, "The token is worth nothing any more.")
        return redirect("account")
    name = request.POST.get("name", "").strip()[:80]
    if not name:
        messages.error(request, "Say what the token is for.")
        return redirect("account")
    secret = tokens.make(user, name)
    messages.success(request, f"Copy it now, it is shown this once: {secret}")
    return redirect("account")


@require_safe
@may_review
def keys(request: HttpRequest) -> HttpResponse:
    return render(request, "curation/keys.html")
