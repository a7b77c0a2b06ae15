"""Account page: password, API tokens, decisions that can be undone. And the page of shortcuts."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin.models import DELETION
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.contrib.auth.views import PasswordChangeView
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from curation.decisions.decide import undoable
from curation.models import ApiToken, NoticeChoice
from curation.web import tokens
from curation.web.access import TEXTS, may_review, number, person
from curation.web.security import invitations
from curation.web.security.login import wait_in_words

# Lifetimes of a new token in days. Without one, it is valid until it is revoked.
LIFETIMES = (("30", "30 days"), ("90", "90 days"), ("365", "1 year"), ("", "never"))
SHOWN = 100


@require_safe
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """Show the account page. It needs no group, because every account has a password."""
    return _page(request)


@require_POST
@may_review
@never_cache
def token(request: HttpRequest) -> HttpResponse:
    """Create or revoke a token. The response shows the secret of a new token, once."""
    user = person(request)
    if pk := request.POST.get("revoke", ""):
        with transaction.atomic():
            for revoked in _tokens(user).filter(pk=number(pk)):
                if revoked.user != user:
                    invitations.log_act(user, [revoked], DELETION, "Revoked.")
                revoked.delete()
                messages.success(request, f"Token {revoked} revoked.")
        return redirect("account")
    name, days = request.POST.get("name", "").strip()[:80], request.POST.get("days", "")
    if not name or days not in dict(LIFETIMES):
        messages.error(request, "Give the token a label and an expiry.")
        return redirect("account")
    lifetime = timedelta(days=int(days)) if days else None
    return _page(
        request, tokens.make(user, name, lifetime, program=bool(request.POST.get("program")))
    )


@require_POST
@may_review
def choose_notices(request: HttpRequest) -> HttpResponse:
    mail = bool(request.POST.get("mail"))
    NoticeChoice.objects.update_or_create(user=person(request), defaults={"mail": mail})
    messages.success(request, "Notices are mailed." if mail else "Notices are under Notices only.")
    return redirect("account")


class CurrentPasswordForm(PasswordChangeForm):
    """Form that checks the current password, and counts wrong ones as failed logins.

    Attack: a stolen session could guess the password without a limit.
    """

    request: HttpRequest

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        name = self.user.get_username()
        if authenticate(self.request, username=name, password=password) is None:
            wait = wait_in_words(self.request)
            raise forms.ValidationError(
                f"Too many wrong passwords. Try again in {wait}."
                if wait
                else "This is not your current password."
            )
        return password


@method_decorator(never_cache, name="dispatch")
class ChangePassword(PasswordChangeView):
    """Change of the password, which ends the user's other sessions.

    API tokens stay valid, because scripts use them, unless the user ticks the box.
    """

    http_method_names = ["get", "head", "post"]  # noqa: RUF012 - as the base class has it
    form_class = CurrentPasswordForm
    template_name = "curation/password.html"
    success_url = reverse_lazy("account")
    extra_context = {"rules": password_validators_help_texts}  # noqa: RUF012

    def get_form(self, form_class: type[CurrentPasswordForm] | None = None) -> CurrentPasswordForm:  # type: ignore[override]
        form: CurrentPasswordForm = super().get_form(form_class)  # type: ignore[assignment]
        form.request = self.request
        form.fields["old_password"].label = "Current password"
        return form

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        message = "Password changed. Your other sessions have ended."
        with transaction.atomic():
            response = super().form_valid(form)
            if self.request.POST.get("revoke_tokens"):
                ApiToken.objects.filter(user=person(self.request)).delete()
                message += " Your API tokens are revoked."
        messages.success(self.request, message)
        return response

    def form_invalid(self, form: PasswordChangeForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)


@require_safe
@may_review
def keys(request: HttpRequest) -> HttpResponse:
    return render(request, "curation/keys.html")


def _tokens(user: User) -> QuerySet[ApiToken]:
    """Return the user's tokens. A curator gets all tokens, to stop a script that misbehaves."""
    tokens = ApiToken.objects.select_related("user")
    return tokens if user.has_perm("auth.add_user") else tokens.filter(user=user)


def _page(request: HttpRequest, secret: str = "") -> HttpResponse:
    shown: dict[str, Any] = {"secret": secret, "lifetimes": LIFETIMES, "default_days": "90"}
    user = person(request)
    if user.has_perm("curation.add_decision"):
        shown |= {
            "tokens": _tokens(user)[:SHOWN],
            "undoable": undoable(user).defer(*TEXTS),
            "mails": NoticeChoice.objects.filter(user=user, mail=True).exists(),
            "mail_server": bool(settings.EMAIL_HOST),
        }
    return render(request, "curation/account.html", shown)
