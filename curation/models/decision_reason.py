"""Reasons for decisions, a list that curators maintain."""

from django.db import models

from curation.models.constraints import one_of
from curation.models.vocabulary import Status


class DecisionReason(models.Model):
    """A reason that reviewers can choose. Decisions copy its text, so rewording changes none."""

    status = models.CharField(
        max_length=10, choices=Status.choices, help_text="Of the decisions that it is a reason for."
    )
    text = models.CharField(max_length=100, unique=True)
    position = models.PositiveSmallIntegerField(default=100, help_text="Lower comes first.")
    offered = models.BooleanField(default=True)

    class Meta:
        ordering = ("position", "pk")
        constraints = (one_of("status", Status, "decisionreason_status_valid"),)

    def __str__(self) -> str:
        return self.text
