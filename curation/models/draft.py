"""Drafts: unfinished pairs derived from ingested code, with texts and missing parts."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from curation.models.constraints import one_of
from curation.models.kernel import Kernel
from curation.models.pair import Pair
from curation.models.repository import Repository
from curation.models.vocabulary import Difficulty, OperationType


class DraftState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished", "Converted"
    SET_ASIDE = "set-aside", "Dismissed"


class Draft(models.Model):
    """An unfinished pair, at most one for each operation of a repository.

    Ingest runs overwrite it until a person edits it.
    """

    TEXTS = ("python_code", "triton_code", "test_code")

    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="drafts")
    path = models.CharField(max_length=1000, help_text="The file of its launcher.")
    operation = models.CharField(max_length=200)
    kernel = models.ForeignKey(
        Kernel, null=True, blank=True, on_delete=models.PROTECT, related_name="drafts"
    )
    state = models.CharField(
        max_length=10, choices=DraftState.choices, default=DraftState.OPEN, editable=False
    )
    reason = models.CharField(max_length=40, help_text="The word by which drafts are counted.")
    missing = models.JSONField(
        default=list, blank=True, help_text="The missing parts, as sentences."
    )
    python_code = models.TextField(blank=True)
    triton_code = models.TextField(blank=True)
    test_code = models.TextField(blank=True)

    # Metadata of the future pair.
    entry_point = models.CharField(max_length=200)
    slug = models.SlugField(max_length=120)
    operation_type = models.CharField(max_length=20, choices=OperationType.choices)
    difficulty = models.CharField(max_length=10, choices=Difficulty.choices)
    differentiable = models.BooleanField(default=False)
    tags = models.JSONField(default=list, blank=True)
    split_group = models.CharField(max_length=200)
    provenance = models.JSONField(default=dict, blank=True)

    version = models.PositiveIntegerField(
        default=1, editable=False, help_text="Grows with each change."
    )
    edited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    pair = models.ForeignKey(
        Pair, null=True, blank=True, on_delete=models.PROTECT, related_name="drafts"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("repository", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("repository", "path", "operation"), name="draft_one_per_operation"
            ),
            one_of("state", DraftState, "draft_state_valid"),
            one_of("operation_type", OperationType, "draft_operation_type_valid"),
            one_of("difficulty", Difficulty, "draft_difficulty_valid"),
            models.CheckConstraint(
                condition=Q(state=DraftState.FINISHED, pair__isnull=False)
                | (~Q(state=DraftState.FINISHED) & Q(pair=None)),
                name="draft_finished_iff_pair",
            ),
        )
        indexes = (models.Index(fields=("state", "repository", "id"), name="draft_by_state"),)

    def __str__(self) -> str:
        return self.operation

    def get_absolute_url(self) -> str:
        return reverse("draft", args=[self.pk])
