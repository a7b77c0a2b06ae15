"""A piece of work that a queue carries out: its state, who holds it, until when.

The row is the truth, the job in Redis only a nudge. `curation.queue` moves rows between states,
always by compare-and-set; nothing else writes these columns.
"""

from datetime import timedelta
from typing import ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from curation.models.constraints import one_of


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
    """A run of one kind.

    Subclasses name the kind, the queue, the job that carries a run out, and the function that
    queues one anew (`RETRY`).
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
    # When it was last handed to Redis: what is older and without a job there was lost.
    handed_over_at = models.DateTimeField(auto_now_add=True, editable=False)
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    message = models.TextField(
        blank=True, editable=False, help_text="How it ended, in a sentence for a person."
    )
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
    # The pace of the present stage: since when it counts, and from which number.
    stage_started_at = models.DateTimeField(null=True, editable=False)
    stage_from = models.PositiveIntegerField(default=0, editable=False)
    log = models.TextField(blank=True, editable=False, help_text="Its last lines.")

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
        indexes = (
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
        """The name of a run at a shell: `validation:12`."""
        return f"{self.kind}:{self.pk}"

    @property
    def subject(self) -> str:
        """Its work in a few words, beside its kind. Each kind of run has its own."""
        return ""

    @property
    def result(self) -> str:
        """The counts of an ended run, in a line."""
        if self.live or not self.total:
            return ""
        return f"{self.done:,} of {self.total:,} done"

    @property
    def most_attempts(self) -> int:
        """How many times it is tried before it has failed."""
        return settings.MOST_ATTEMPTS

    @property
    def percent(self) -> int | None:
        """How much of the present stage is done, or None if its length is not known."""
        return min(100, 100 * self.done // self.total) if self.total else None

    @property
    def remaining(self) -> timedelta | None:
        """The time that the present stage still needs at its pace, or None if that is not known."""
        if self.state != RunState.RUNNING or self.stage_started_at is None or not self.total:
            return None
        made = self.done - self.stage_from
        if made <= 0:
            return None
        elapsed = timezone.now() - self.stage_started_at
        return elapsed / made * max(0, self.total - self.done)

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def job_id(self) -> str:
        """The same for every delivery of one attempt: handing over twice leaves one job."""
        return self.job_of(self.attempts + 1)

    def job_of(self, attempt: int) -> str:
        return f"{self._meta.model_name}-{self.pk}-{attempt}"
