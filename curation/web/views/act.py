"""Actions of a reviewer: decide, skip, undo, ask, pin. Each continues with the next item."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from curation.decisions import second_reviews as second
from curation.decisions.decide import review, undo, undoable
from curation.decisions.notices import notify
from curation.decisions.priority import pin
from curation.decisions.queue import next_item
from curation.errors import CurationError
from curation.models import Agreement, Claim, NoticeKind, Question, Skip, Status
from curation.people import GRANTED
from curation.search.filters import Filter
from curation.search.matching import KINDS, WrongFilter, about
from curation.web import rows
from curation.web.access import (
    item_or_404,
    kind_of,
    may_review,
    may_steer,
    number,
    person,
    there,
)
from curation.web.forms import LONGEST_COMMENT, DecisionForm
from curation.web.views.item import address, page

# Headers for `swap` in static/js/review.js.
SWAPS, ADDRESS = "X-Swap", "X-Address"
# Fields of the form that a decision stores unchanged.
DECIDED = ("version", "request", "reasons", "comment", "open_claims")


@require_POST
@may_review
def decide_item(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Decide, then show the next item. A stale or invalid form is returned with its input."""
    user = person(request)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Nothing has changed: {_sentence(form)}")
        return page(request, kind, pk, _typed(request), code=400)
    item = there(kind, rows.undecided.first(KINDS[kind], pk, user, form.cleaned_data["request"]))
    status = Status(form.cleaned_data["status"])
    try:
        made = review(
            item=item,
            user=user,
            status=status,
            kind=form.kind(item),
            again=item.second_look,
            needs_reason=item.disputed or status == Status.REJECTED,
            **{name: form.cleaned_data[name] for name in DECIDED},
        )
    except CurationError as error:
        messages.error(request, str(error))
        return page(request, kind, pk, _typed(request), code=409)
    saved = f" is {made.status}." if made else ": your second review is saved."
    messages.success(request, f"{item}{saved}", extra_tags="undo")
    return _on(request, item)


@require_POST
@may_review
def skip(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Skip the item, so that it returns after all other items. A decided item is not skipped."""
    item = item_or_404(kind, pk)
    user = person(request)
    disputed = second.given(item).filter(state=Agreement.DISPUTED).exists()
    if item.status != Status.PENDING and not disputed and not second.waiting_for(item, user):
        return _on(request, item)
    Skip.objects.filter(**{about(type(item)): item}, user=user).delete()
    Skip.objects.create(**{about(type(item)): item}, user=user)
    Claim.objects.filter(**{about(type(item)): item}, user=user).delete()
    messages.info(request, f"{item} is skipped. It returns when no other item is waiting.")
    return _on(request, item)


@require_POST
@may_review
def undo_last(request: HttpRequest) -> HttpResponse:
    """Undo the decision that the form names, or else the user's last decision or review."""
    user = person(request)
    key = request.POST.get("decision", "")
    own = undoable(user)
    decision = (own.filter(pk=number(key)) if key.isdecimal() else own).first()
    review = None if key else second.withdrawable(user)
    if review and decision and review.given_at and review.given_at < decision.created_at:
        review = None
    if not review and not decision:
        messages.error(request, "You have no decision to undo.")
        return redirect("queue")
    try:
        if review:
            item = review.item
            second.withdraw(review)
            sentence = f"you have not given the second review of {item}"
        elif decision:
            item = decision.item
            undo(decision=decision, user=user, request=_uuid(request))
            sentence = f"{item} is {decision.previous_status} again"
        messages.success(request, f"Undone: {sentence}.")
    except CurationError as error:
        messages.error(request, str(error))
    return redirect(address(item))


@require_http_methods(["GET", "HEAD", "POST"])
@may_review
def ask(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Ask one or all reviewers for a second opinion. Or send a pair back to its author."""
    item = item_or_404(kind, pk)
    user = person(request)
    colleagues = _colleagues(user)
    given = request.POST if request.method == "POST" else request.GET
    typed = {"text": given.get("text", ""), "asked": given.get("asked", "")}
    addressee = next((one for one in colleagues if one.username == typed["asked"]), None)
    back = bool(addressee) and addressee == getattr(item, "author", None)
    if request.method == "POST":
        problem = _problem(typed, addressee)
        if not problem:
            try:
                with transaction.atomic():
                    question = Question.objects.create(
                        **{about(type(item)): item}, asker=user, asked=addressee, text=typed["text"]
                    )
                    act = f"sends {item} back to you" if back else f"asks you about {item}"
                    words = f"{user} {act}: {typed['text']}"
                    url, event = item.get_absolute_url(), f"question-{question.pk}"
                    for reader in [addressee] if addressee else colleagues:
                        notify(reader, NoticeKind.QUESTION, words, url, event=event)
                    Claim.objects.filter(**{about(type(item)): item}, user=user).delete()
            except IntegrityError:
                problem = "There is an open question about this item already."
        if not problem:
            waits = "was sent back to" if back else "waits for an answer of"
            messages.success(request, f"{item} {waits} {addressee or 'any reviewer'}.")
            return _on(request, item)
        messages.error(request, problem)
    shown = {"item": item, "kind": kind, "colleagues": colleagues, "typed": typed, "back": back}
    code = 400 if request.method == "POST" else 200
    return render(request, "curation/ask.html", shown, status=code)


@require_POST
@may_steer
def pin_item(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    item = item_or_404(kind, pk)
    pin(item=item, pinned=request.POST.get("pinned") == "1", user=person(request))
    return redirect(address(item))


def _on(request: HttpRequest, item: Any) -> HttpResponse:
    """Show the next item of the same queue.

    A script that swaps page parts gets the page directly, with its URL in a header: a redirect
    would cost as much as the decision.
    """
    query = request.POST.get("queue", "")
    try:
        filter = Filter.from_query(query)
    except WrongFilter:
        filter = Filter()
    following = next_item(person(request), filter, leave=item)
    if following is None:
        return redirect(f"{reverse('queue')}{f'?{filter.query()}' if filter else ''}")
    where = address(following, filter.query())
    if not request.headers.get(SWAPS):
        return redirect(where)
    answer = page(request, kind_of(following), following.pk)
    answer.headers[ADDRESS] = where
    return answer


def _typed(request: HttpRequest) -> dict[str, Any]:
    names = ("comment", "tags", "operation_type", "difficulty")
    return {name: request.POST[name] for name in names if name in request.POST} | {
        "reasons": request.POST.getlist("reason"),
        "refused": True,
    }


def _sentence(form: DecisionForm) -> str:
    field, errors = next(iter(form.errors.items()))
    return f"{field.replace('_', ' ')}: {errors[0]}"


def _problem(typed: dict[str, str], addressee: User | None) -> str:
    if not typed["text"].strip():
        return "Write what the reviewer should check."
    if len(typed["text"]) > LONGEST_COMMENT:
        return f"Keep the question below {LONGEST_COMMENT:,} characters."
    if typed["asked"] and addressee is None:
        return f"{typed['asked']} is not a reviewer."
    return ""


def _colleagues(user: User) -> list[User]:
    people = User.objects.filter(is_active=True, groups__name__in=GRANTED).exclude(pk=user.pk)
    return list(people.distinct().order_by("username")[:200])


def _uuid(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("request", ""))
    except ValueError:
        return uuid.uuid4()
