"""Guidelines of operations: what to approve and what to reject, with examples."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.fields import AppendOnly, once_per_item, one_of
from curation.models.items import AboutKernelOrPair
from curation.models.vocabulary import OperationType, Status


class Guideline(AppendOnly):
    """A version of the guidelines of an operation. The newest version is shown.

    If there is no version, the default text in `curation/decisions/guidelines.toml` is shown.
    """

    operation_type = models.CharField(max_length=20, choices=OperationType.choices)
    text = models.TextField(help_text="In Markdown.")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (one_of("operation_type", OperationType, "guideline_operation_valid"),)
        indexes = (models.Index(fields=("operation_type", "-id"), name="guideline_by_operation"),)


class GuidelineExample(AboutKernelOrPair):
    """An item that a curator chose as an example of an approval or a rejection."""

    operation_type = models.CharField(max_length=20, choices=OperationType.choices)
    status = models.CharField(max_length=10, choices=Status.choices)
    reason = models.CharField(max_length=300)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            one_of("operation_type", OperationType, "guidelineexample_operation_valid"),
            models.CheckConstraint(
                condition=Q(status__in=(Status.APPROVED, Status.REJECTED)),
                name="guidelineexample_status_valid",
            ),
            *once_per_item("guidelineexample_once_per_item", "operation_type", "item"),
        )
