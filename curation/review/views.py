"""What a reviewer sees: the next kernel, a kernel, and the answer to a decision."""

import uuid

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from curation.models import Kernel, Provenance, Status
from curation.review.decisions import StaleItem, decide
from curation.review.highlight import highlighted

may_review = permission_required("curation.add_decision", raise_exception=True)


class DecisionForm(forms.Form):
    status = forms.ChoiceField(
        choices=[(status, status.label) for status in (Status.APPROVED, Status.REJECTED)]
    )
    version = forms.IntegerField(min_value=1)
    request = forms.UUIDField()
    comment = forms.CharField(required=False, max_length=10_000)


@require_safe
@may_review
def queue(request: HttpRequest) -> HttpResponse:
    """The kernel to decide on next."""
    kernel = Kernel.objects.pending().select_related("license").first()
    if kernel is None:
        return render(request, "curation/empty_queue.html")
    return _page(request, kernel)


@require_safe
@may_review
def kernel(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, get_object_or_404(Kernel.objects.select_related("license"), pk=pk))


@require_POST
@may_review
def decide_kernel(request: HttpRequest, pk: int) -> HttpResponse:
    """Decide, then on to the next one. A stale or broken form comes back with what was typed."""
    assert isinstance(request.user, User)  # noqa: S101 - login is required everywhere
    kernel = get_object_or_404(Kernel, pk=pk)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.error(request, "That decision was incomplete. Nothing has changed.")
        return _page(request, kernel, comment=request.POST.get("comment", ""), code=400)
    try:
        decision = decide(
            item=kernel,
            status=Status(form.cleaned_data["status"]),
            version=form.cleaned_data["version"],
            user=request.user,
            request=form.cleaned_data["request"],
            comment=form.cleaned_data["comment"],
        )
    except StaleItem as error:
        messages.error(request, str(error))
        kernel.refresh_from_db()
        return _page(request, kernel, comment=form.cleaned_data["comment"], code=409)
    messages.success(request, f"{kernel.name} is {decision.status}.")
    return redirect("queue")


def _page(request: HttpRequest, kernel: Kernel, comment: str = "", code: int = 200) -> HttpResponse:
    provenances = Provenance.objects.filter(kernel=kernel, retired_at=None).select_related(
        "source_file__repository"
    )
    context = {
        "kernel": kernel,
        "source": highlighted(kernel.standalone_source),
        "provenances": provenances,
        "findings": kernel.findings.filter(passed=False).exclude(message=""),
        "decisions": kernel.decisions.select_related("user"),
        "request_id": uuid.uuid4(),
        "comment": comment,
    }
    return render(request, "curation/kernel.html", context, status=code)
