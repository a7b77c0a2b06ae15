"""Drops: code that the pipeline left out, with the reason. Each omission has such a row."""

from django.db import models

from curation.models.ingest_run import IngestRun


class Drop(models.Model):
    run = models.ForeignKey(IngestRun, on_delete=models.CASCADE, related_name="drops")
    stage = models.CharField(max_length=40)
    path = models.CharField(max_length=1000)
    qualname = models.CharField(max_length=500, blank=True)
    line = models.PositiveIntegerField(null=True)
    reason = models.CharField(max_length=60, help_text="A short word to count by.")
    message = models.TextField(help_text="The reason as a sentence.")

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("run", "stage", "reason"), name="drop_by_reason"),)

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"
