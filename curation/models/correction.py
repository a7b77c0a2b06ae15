"""Corrections of an item's classification by a person. Append-only."""

from django.conf import settings
from django.db import models

from curation.models.append_only import AppendOnly
from curation.models.decision import Decision
from curation.models.subject import AboutKernelOrPair


class Correction(AppendOnly, AboutKernelOrPair):
    """A change of operation type, difficulty and tags; `before` and `after` hold all three."""

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
