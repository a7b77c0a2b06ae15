"""Second reviews: blind reviews of decided items, to measure agreement."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.constraints import one_of
from curation.models.decision import Decision
from curation.models.subject import AboutKernelOrPair
from curation.models.vocabulary import Status


class Agreement(models.TextChoices):
    WAITING = "waiting"
    AGREED = "agreed"
    DISPUTED = "disputed", "Disagreed; a curator decides"
    SETTLED = "settled", "Disagreed; a curator has decided"
    VOID = "void", "The first decision was undone or changed"


class SecondReview(AboutKernelOrPair):
    """A blind second review. It changes no status; on disagreement, a curator decides."""

    first = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="second_review")
    state = models.CharField(
        max_length=10, choices=Agreement.choices, default=Agreement.WAITING, editable=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    status = models.CharField(max_length=10, choices=Status.choices, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True)
    request = models.UUIDField(unique=True, null=True)
    given_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.PROTECT, related_name="settles"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            one_of("state", Agreement, "secondreview_state_valid"),
            models.CheckConstraint(
                condition=Q(given_at=None, user=None, status="")
                | Q(given_at__isnull=False, user__isnull=False, status__in=Status.values),
                name="secondreview_given_by_somebody",
            ),
        )
        indexes = (models.Index(fields=("state", "id"), name="secondreview_by_state"),)

    def __str__(self) -> str:
        return f"{self.item}: {self.state}"
