"""What a person set right about an item's kind. Append-only: undoing appends."""

from django.conf import settings
from django.db import models

from curation.models.append_only import AppendOnly
from curation.models.decision import Decision
from curation.models.subject import AboutKernelOrPair


class Correction(AppendOnly, AboutKernelOrPair):
    """`before` and `after` hold the operation type, the difficulty and the tags."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="corrections"
    )
    decision = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.PROTECT, related_name="correction"
    )
    before = models.JSONField()
    after = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.item} by {self.user}"
