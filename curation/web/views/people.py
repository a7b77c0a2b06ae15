"""People page of curators with invitations, and the page of an invitation."""

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required, permission_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from curation.models import Invitation
from curation.people import ROLES
from curation.web.access import person, role_of
from curation.web.security import invitations
from curation.web.security.invitations import InvitationForm, InvitationRefused

may_manage_people = permission_required("auth.add_user", raise_exception=True)

SHOWN = 100


@require_http_methods(["GET", "HEAD", "POST"])
@may_manage_people
@never_cache
def people(request: HttpRequest) -> HttpResponse:
    """List people and invitations. A POST invites, and its response shows the link, once."""
    form, invited = InvitationForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        try:
            invitations.invite(form.instance, invited_by=person(request))
        except InvitationRefused as error:
            form.add_error(None, str(error))
        else:
            form, invited = InvitationForm(), form.instance
    accounts = User.objects.order_by("-is_active", "username").prefetch_related("groups")
    shown = {
        "form": form,
        "invited": invited,
        "link": request.build_absolute_uri(invitations.link(invited)) if invited else "",
        "people": [(user, role_of(user)) for user in accounts[:SHOWN]],
        "roles": ROLES.values(),
        "invitations": Invitation.objects.pending().select_related("group", "invited_by")[:SHOWN],
    }
    code = 200 if invited or request.method != "POST" else 400
    return render(request, "curation/people.html", shown, status=code)


@require_POST
@may_manage_people
def revoke_invitation(request: HttpRequest, pk: int) -> HttpResponse:
    if invitations.revoke(pk, by=person(request)):
        messages.success(request, "Invitation revoked. Its link no longer works.")
    else:
        messages.warning(request, "That invitation was used or revoked already.")
    return redirect("people")


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Page of a one-time link: choose a password to create the account.

    Only a POST uses the link up: chat programs and mail filters open links by themselves.
    """
    try:
        invitation = invitations.open_invitation(token)
        form = SetPasswordForm(
            User(username=invitation.username, email=invitation.email), request.POST or None
        )
        if request.method == "POST" and not request.user.is_authenticated and form.is_valid():
            login(request, invitations.accept(invitation, form))
            messages.success(
                request,
                "Your account is ready. See “Shortcuts and guide” in the menu under your name.",
            )
            return redirect("queue")
    except InvitationRefused as error:
        return render(request, "curation/join.html", {"refused": str(error)}, status=410)
    role, duties = ROLES[invitation.group.name]
    shown = {
        "invitation": invitation,
        "role": role,
        "duties": duties,
        "form": form,
        "rules": password_validators_help_texts(),
    }
    code = 400 if request.method == "POST" else 200
    return render(request, "curation/join.html", shown, status=code)
