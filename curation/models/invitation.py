"""An invitation to open an account, accepted by a one-time link."""

from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone


class InvitationState(models.TextChoices):
    OPEN = "open"
    ACCEPTED = "accepted"
    REVOKED = "revoked"
    EXPIRED = "expired"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def pending(self) -> Self:
        """Return invitations neither accepted nor revoked; some of their links may have expired."""
        return self.filter(accepted_at=None, revoked_at=None)


class Invitation(models.Model):
    """An invitation. The account is created on acceptance, so an unused one creates none."""

    LIFETIME = timedelta(days=7)

    username = models.CharField(
        "name", max_length=150, validators=(UnicodeUsernameValidator(),),
        help_text="Letters, digits and @ . + - _",
    )  # fmt: skip
    email = models.EmailField("e-mail", blank=True)
    group = models.ForeignKey(Group, on_delete=models.PROTECT, related_name="+")
    # Empty for an invitation from the command line.
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
