"""Invitations: create a one-time link, accept it once, revoke it.

The link is not stored. It contains the key of its row, signed with the secret key. The row records
whether the link is still valid.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import Group, User
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.urls import reverse
from django.utils import timezone

from curation.errors import CurationError
from curation.models import Invitation, InvitationState
from curation.people import CURATORS, REVIEWERS, ROLES

SALT = "curation.invitation"

SENTENCES = {
    InvitationState.ACCEPTED: "This link was used already. Log in with the password you chose.",
    InvitationState.REVOKED: "This invitation was revoked. Ask a curator for a new link.",
    InvitationState.EXPIRED: "This invitation has expired. Ask a curator for a new link.",
}


class InvitationRefused(CurationError):
    """The link opens no account, or the invitation can't be created."""


class InvitationForm(forms.ModelForm):  # type: ignore[type-arg] # generic in the stubs
    class Meta:
        model = Invitation
        fields = ("username", "group", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups: Any = self.fields["group"]
        groups.queryset = Group.objects.filter(name__in=(REVIEWERS, CURATORS)).order_by("-name")
        groups.empty_label = None
        groups.label_from_instance = lambda group: ROLES[group.name][0]

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError(
                f"An account named {name} exists already. Set its role and password in the admin."
            )
        return name


def invite(invitation: Invitation, *, invited_by: User | None) -> None:
    """Save an invitation. Revoke an earlier one for this name, as its link may be lost."""
    invitation.invited_by = invited_by
    try:
        with transaction.atomic():
            earlier = Invitation.objects.pending().filter(username=invitation.username)
            earlier.update(revoked_at=timezone.now())
            invitation.save()
            if invited_by:
                log_act(invited_by, [invitation], ADDITION, f"Invited to {invitation.group}.")
    except IntegrityError:
        raise InvitationRefused(
            f"{invitation} was invited by another curator at the same time. Reload the list."
        ) from None


def link(invitation: Invitation) -> str:
    """Return the path of the one-time link."""
    token = signing.dumps([invitation.pk, invitation.username], salt=SALT)
    return reverse("join", args=[token])


def open_invitation(token: str) -> Invitation:
    """Return the invitation of a link, or raise `InvitationRefused` with the reason."""
    try:
        pk, username = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        pk, username = 0, ""
    rows = Invitation.objects.select_related("group", "invited_by")
    invitation = rows.filter(pk=pk, username=username).first()
    if invitation is None:
        raise InvitationRefused("This link is not complete. Copy all of it and try again.")
    if sentence := SENTENCES.get(invitation.state):
        raise InvitationRefused(sentence)
    inviter = invitation.invited_by
    # Attack: a removed curator uses an invitation for a second account. Defense: refuse it.
    if inviter and not inviter.has_perm("auth.add_user"):
        raise InvitationRefused(SENTENCES[InvitationState.REVOKED])
    return invitation


def accept(invitation: Invitation, form: "SetPasswordForm[User]") -> User:
    """Create the account with the password of a valid form. A second request is refused."""
    try:
        with transaction.atomic():
            pending = Invitation.objects.pending().filter(pk=invitation.pk)
            if not pending.update(accepted_at=timezone.now()):
                raise InvitationRefused(SENTENCES[InvitationState.ACCEPTED])
            form.user.is_staff = invitation.group.name == CURATORS
            user: User = form.save()
            user.groups.add(invitation.group)
            inviter = invitation.invited_by or "the command line"
            log_act(user, [user], ADDITION, f"Accepted the invitation by {inviter}.")
    except IntegrityError:
        raise InvitationRefused(
            f"An account named {invitation} exists already. Ask a curator for another name."
        ) from None
    return user


def revoke(pk: int, *, by: User) -> bool:
    """Revoke an invitation; return False if it was accepted or revoked already."""
    revoked = Invitation.objects.pending().filter(pk=pk).update(revoked_at=timezone.now())
    if revoked:
        log_act(by, Invitation.objects.filter(pk=pk), CHANGE, "Revoked.")
    return bool(revoked)


def log_act(user: User, rows: Sequence[Model] | Any, flag: int, message: str) -> None:
    """Add a line to the history page."""
    LogEntry.objects.log_actions(user.pk, rows, flag, message)
