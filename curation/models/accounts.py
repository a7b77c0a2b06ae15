"""Invitations, tokens, failed logins and saved views of accounts."""

from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from curation.models.fields import sha256


class InvitationState(models.TextChoices):
    OPEN = "open"
    ACCEPTED = "accepted"
    REVOKED = "revoked"
    EXPIRED = "expired"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def pending(self) -> Self:
        """Return invitations that are neither accepted nor revoked. Some links may have expired."""
        return self.filter(accepted_at=None, revoked_at=None)


class Invitation(models.Model):
    """An invitation to create an account. The account is created when the person accepts."""

    LIFETIME = timedelta(days=7)

    username = models.CharField(
        "name", max_length=150, validators=(UnicodeUsernameValidator(),),
        help_text="Letters, digits and @ . + - _",
    )  # fmt: skip
    email = models.EmailField("e-mail", blank=True)
    group = models.ForeignKey(Group, on_delete=models.PROTECT, related_name="+")
    # The inviter. Empty if the invitation was made on the command line.
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(revoked_at=None), name="invitation_ended_once"
            ),
            models.UniqueConstraint(
                fields=("username",),
                condition=Q(accepted_at=None, revoked_at=None),
                name="invitation_one_pending_per_name",
            ),
        )

    def __str__(self) -> str:
        return self.username

    @property
    def expires_at(self) -> datetime:
        return self.created_at + self.LIFETIME

    @property
    def state(self) -> InvitationState:
        if self.accepted_at:
            return InvitationState.ACCEPTED
        if self.revoked_at:
            return InvitationState.REVOKED
        if self.expires_at <= timezone.now():
            return InvitationState.EXPIRED
        return InvitationState.OPEN


class ApiToken(models.Model):
    """A token that a program sends instead of a password. Only its hash is stored."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the token.")
    program = models.BooleanField(
        default=False, help_text="A program decides with it, not its owner."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: it never expires.")
    used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")

    class Meta:
        ordering = ("-pk",)
        constraints = (sha256("digest", "apitoken_digest_valid"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    def is_expired(self, now: datetime | None = None) -> bool:
        return self.expires_at is not None and self.expires_at <= (now or timezone.now())


class LoginFailure(models.Model):
    """A failed login, for throttling password guesses. Old rows are deleted."""

    name = models.CharField(max_length=150)
    address = models.CharField(max_length=45, help_text="The client's IP address.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (
            models.Index(fields=("name", "created_at"), name="loginfailure_by_name"),
            models.Index(fields=("address", "created_at"), name="loginfailure_by_address"),
        )


class SavedView(models.Model):
    """A filter of the list that a reviewer saved under a name."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views"
    )
    name = models.CharField(max_length=80)
    query = models.TextField(help_text="The filter as a query string.")
    shared = models.BooleanField(default=False, help_text="Other reviewers see it.")

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="savedview_once"),)
