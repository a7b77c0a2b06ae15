"""Bulk decisions: one decision on every item that a filter finds, undone as a whole.

The row holds the complete request, so an interrupted bulk decision can be resumed from it.
"""

from django.conf import settings
from django.db import models

from curation.models.constraints import one_of
from curation.models.vocabulary import Status


class BulkDecision(models.Model):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=10, choices=Status.choices)
    filter = models.TextField(help_text="As a query string.")
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True)
    count = models.PositiveIntegerField(default=0)
    request = models.UUIDField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(
        null=True, blank=True, help_text="Since then it records no more decisions."
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (one_of("status", Status, "bulkdecision_status_valid"),)

    def __str__(self) -> str:
        return f"{self.count} {self.status} by {self.user}"
