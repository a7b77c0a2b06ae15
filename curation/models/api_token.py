"""What a program shows instead of a password. Only the token's hash is kept."""

from django.conf import settings
from django.db import models

from curation.models.constraints import sha256


class ApiToken(models.Model):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the token.")
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True, help_text="To the hour.")

    class Meta:
        ordering = ("-pk",)
        constraints = (sha256("digest", "apitoken_digest_valid"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
