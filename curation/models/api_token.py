"""API tokens: a program sends one instead of a password. Only the hash is stored."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils import timezone

from curation.models.constraints import sha256


class ApiToken(models.Model):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the token.")
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
