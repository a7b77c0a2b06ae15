"""Questions: second opinions that a reviewer asks for before deciding."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.subject import AboutKernelOrPair


class Question(AboutKernelOrPair):
    """A question. While it is open, only the addressee is offered the item.

    Without an addressee, everyone but the asker is.
    """

    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="questions_asked"
    )
    asked = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="questions",
        help_text="Empty: any other reviewer.",
    )
    text = models.TextField()
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            models.CheckConstraint(
                condition=Q(answered_at=None, answered_by=None)
                | Q(answered_at__isnull=False, answered_by__isnull=False),
                name="question_answered_by_somebody",
            ),
            models.UniqueConstraint(
                fields=("kernel",),
                condition=Q(pair=None, answered_at=None),
                name="question_one_open_per_kernel",
            ),
            models.UniqueConstraint(
                fields=("pair",),
                condition=Q(kernel=None, answered_at=None),
                name="question_one_open_per_pair",
            ),
        )

    def __str__(self) -> str:
        return f"{self.asker} on {self.item}"
