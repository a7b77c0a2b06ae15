"""Exports requested in the browser: progress, and the path of the archive."""

from django.db import models

from curation.models.release import Release
from curation.models.run import Run, RunQuerySet


class ExportRun(Run):
    KIND = "export"
    QUEUE = "default"
    JOB = "curation.export.jobs.export"
    RETRY = "curation.export.options.retry_export"

    options = models.JSONField(default=dict, blank=True)
    name = models.CharField(
        max_length=100, blank=True, help_text="Of the release to make or to rebuild; empty: none."
    )
    release = models.ForeignKey(
        Release,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="runs",
    )
    funnel = models.JSONField(default=dict, blank=True, editable=False)
    archive = models.CharField(
        max_length=200, blank=True, editable=False, help_text="Its file in the data folder."
    )
    sha256 = models.CharField(max_length=64, blank=True, editable=False)
    archive_removed_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When the archive was deleted to make room for newer ones.",
    )

    objects = RunQuerySet["ExportRun"].as_manager()

    class Meta(Run.Meta):
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"Export {self.pk}{f' of {self.name}' if self.name else ''}"

    @property
    def subject(self) -> str:
        return self.name or "One-off export"
