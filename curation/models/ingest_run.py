"""Ingest runs: one reading of one repository, its progress, results and drops."""

from django.db import models
from django.db.models import Q

from curation.models.repository import Repository
from curation.models.run import LIVE, Run, RunQuerySet


class IngestRun(Run):
    KIND = "ingest"
    QUEUE = "ingest"
    JOB = "ingest.jobs.ingest"
    RETRY = "ingest.requests.retry_ingest"

    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="runs")
    commit = models.CharField(max_length=64, blank=True, editable=False)
    again = models.BooleanField(
        default=False, help_text="Read every file again, even if the repository is unchanged."
    )
    funnel = models.JSONField(
        default=dict, blank=True, editable=False, help_text="How many items reached each stage."
    )

    objects = RunQuerySet["IngestRun"].as_manager()

    class Meta(Run.Meta):
        ordering = ("-pk",)
        constraints = (
            *Run.Meta.constraints,
            models.UniqueConstraint(
                fields=("repository",),
                condition=Q(state__in=LIVE),
                name="ingestrun_one_live_per_repository",
            ),
        )

    def __str__(self) -> str:
        return f"Ingest {self.pk} of {self.repository}"

    @property
    def subject(self) -> str:
        return self.repository.name

    @property
    def result(self) -> str:
        if self.stage == "unchanged":
            return "Nothing has changed since the last ingest"
        shown = ("files", "found", "new", "dropped", "retired")
        return ", ".join(f"{self.funnel[name]:,} {name}" for name in shown if name in self.funnel)
