"""A piece of work that a queue carries out: its state, who holds it, until when.

The row is the truth, the job in Redis only a nudge. `curation.queue` moves rows between states,
always by compare-and-set; nothing else writes these columns.
"""

from typing import ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q

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
    """Subclasses name the queue and the job that carry them out."""

    QUEUE: ClassVar[str]
    JOB: ClassVar[str]

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
        )

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def job_id(self) -> str:
        """The same for every delivery of one attempt: handing over twice leaves one job."""
        return f"{self._meta.model_name}-{self.pk}-{self.attempts + 1}"
