"""Runs of the queue, the lease of periodic tasks, and cached figures."""

from datetime import timedelta
from typing import ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from curation.models.fields import one_of
from curation.models.releases import Release
from curation.models.sources import Repository


class RunState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = (RunState.QUEUED, RunState.RUNNING)
ENDED = (RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED)


AnyRun = TypeVar("AnyRun", bound="Run")


class RunQuerySet(models.QuerySet[AnyRun]):
    def live(self) -> Self:
        return self.filter(state__in=LIVE)

    def ended(self) -> Self:
        return self.filter(state__in=ENDED)


class Run(models.Model):
    """A run of one kind: its state, attempt token and lease.

    The row is the record of the run. The job in Redis only starts it. `curation.jobs` moves rows
    between states by compare-and-set. No other code writes these columns.

    Subclasses define the kind, the queue, the job function and `RETRY`, the function that queues a
    run again.
    """

    KIND: ClassVar[str]
    QUEUE: ClassVar[str]
    JOB: ClassVar[str]
    RETRY: ClassVar[str]

    state = models.CharField(
        max_length=20, choices=RunState.choices, default=RunState.QUEUED, editable=False
    )
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    attempt_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    # Time of the last enqueue. After a while, the sweeper enqueues again if Redis lost the job.
    handed_over_at = models.DateTimeField(auto_now_add=True, editable=False)
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    message = models.TextField(blank=True, editable=False, help_text="The result, as a sentence.")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
    )
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
    )
    retry_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="retries",
    )
    stage = models.CharField(max_length=40, blank=True, editable=False)
    done = models.PositiveIntegerField(default=0, editable=False)
    total = models.PositiveIntegerField(default=0, editable=False)
    # Time and count at the start of the current stage. Its pace is computed from them.
    stage_started_at = models.DateTimeField(null=True, editable=False)
    stage_from = models.PositiveIntegerField(default=0, editable=False)
    log = models.TextField(blank=True, editable=False, help_text="The last lines of the log.")

    class Meta:
        abstract = True
        constraints: ClassVar[tuple[models.BaseConstraint, ...]] = (
            one_of("state", RunState, "%(class)s_state_valid"),
            models.CheckConstraint(
                condition=Q(
                    state=RunState.RUNNING,
                    attempt_token__isnull=False,
                    lease_until__isnull=False,
                )
                | (
                    ~Q(state=RunState.RUNNING)
                    & Q(attempt_token__isnull=True, lease_until__isnull=True)
                ),
                name="%(class)s_running_iff_held",
            ),
            models.CheckConstraint(
                condition=Q(state__in=LIVE, finished_at__isnull=True)
                | Q(state__in=ENDED, finished_at__isnull=False),
                name="%(class)s_ended_iff_finished",
            ),
        )
        indexes: ClassVar[tuple[models.Index, ...]] = (
            models.Index(
                fields=("state", "handed_over_at"),
                name="%(class)s_live",
                condition=Q(state__in=LIVE),
            ),
            models.Index(fields=("created_at", "id"), name="%(class)s_by_time"),
            models.Index(
                fields=("finished_at",),
                name="%(class)s_cancelled",
                condition=Q(state=RunState.CANCELLED),
            ),
        )

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.kind, self.pk])

    @property
    def kind(self) -> str:
        return self.KIND

    @property
    def label(self) -> str:
        """Name of a run on the command line: `validation:12`."""
        return f"{self.kind}:{self.pk}"

    @property
    def subject(self) -> str:
        """Describe the work in a few words. Each kind of run overrides this property."""
        return ""

    @property
    def result(self) -> str:
        """Summarize the counts of an ended run in one line."""
        if self.live or not self.total:
            return ""
        return f"{self.done:,} of {self.total:,} done"

    @property
    def most_attempts(self) -> int:
        """Return the number of attempts after which the run fails."""
        return settings.MOST_ATTEMPTS

    @property
    def percent(self) -> int | None:
        """Return how much of the current stage is done in percent, or None if that is unknown."""
        return min(100, 100 * self.done // self.total) if self.total else None

    @property
    def remaining(self) -> timedelta | None:
        """Estimate the time until the current stage ends, or return None if that is unknown."""
        if self.state != RunState.RUNNING or self.stage_started_at is None or not self.total:
            return None
        progress = self.done - self.stage_from
        if progress <= 0:
            return None
        elapsed = timezone.now() - self.stage_started_at
        return elapsed / progress * max(0, self.total - self.done)

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def job_id(self) -> str:
        """Return the job id of the next attempt.

        The id is the same for each call, so that enqueuing twice leaves one job.
        """
        return self.job_of(self.attempts + 1)

    def job_of(self, attempt: int) -> str:
        return f"{self._meta.model_name}-{self.pk}-{attempt}"


class IngestRun(Run):
    """A run that reads a repository: its progress, results and drops."""

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
        found, files = self.funnel.get("found", 0), self.funnel.get("files", 0)
        counts = [(self.funnel.get(name), name) for name in ("new", "dropped", "retired")]
        named = [f"{'all' if (n, name) == (found, 'new') else n} {name}" for n, name in counts if n]
        sentence = f"{found:,} kernel{'s' * (found != 1)} in {files:,} file{'s' * (files != 1)}"
        return ", ".join([sentence, *named]) if self.funnel else ""


class Drop(models.Model):
    """Code that the pipeline left out, and the reason. Each such omission has a row."""

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


class ExportRun(Run):
    """An export or a push that a person requested: its progress, and the path of the archive."""

    KIND = "export"
    QUEUE = "default"
    JOB = "curation.export.jobs.export"
    RETRY = "curation.export.requests.retry_export"

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
    push_to = models.CharField(
        max_length=200, blank=True, editable=False,
        help_text="The dataset repository to which the run uploads its release; empty: none.",
    )  # fmt: skip
    push_private = models.BooleanField(default=False, editable=False)
    push_replace = models.BooleanField(
        default=False, editable=False, help_text="Also delete files that no export wrote."
    )
    pushed_url = models.CharField(max_length=500, blank=True, editable=False)

    objects = RunQuerySet["ExportRun"].as_manager()

    class Meta(Run.Meta):
        ordering = ("-pk",)
        constraints = (
            *Run.Meta.constraints,
            models.CheckConstraint(
                condition=Q(push_to="", pushed_url="") | (~Q(push_to="") & ~Q(name="")),
                name="exportrun_push_names_a_release",
            ),
        )

    def __str__(self) -> str:
        if self.push_to:
            return f"Push {self.pk} of {self.name} to {self.push_to}"
        return f"Export {self.pk}{f' of {self.name}' if self.name else ''}"

    @property
    def subject(self) -> str:
        if self.push_to:
            return f"{self.name}, pushed to {self.push_to}"
        return self.name or "One-off export"


class Lease(models.Model):
    """Lease of an exclusive duty, such as the scheduler's. It names the process that holds it."""

    name = models.CharField(max_length=60, primary_key=True)
    holder = models.CharField(max_length=200)
    expires_at = models.DateTimeField()


class Figures(models.Model):
    """Figures that are slow to compute, each with its time. Every row can be computed again."""

    name = models.CharField(max_length=60, primary_key=True)
    value = models.JSONField()
    gathered_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "figures"
