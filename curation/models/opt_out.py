"""Opt-outs: requests to exclude paths of a repository, or an author's work anywhere."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.repository import Repository


class OptOutQuerySet(models.QuerySet["OptOut"]):
    def in_force(self) -> Self:
        return self.filter(lifted_at=None)


class OptOut(models.Model):
    """An opt-out of paths of one repository, or of an author.

    The opt-out of a whole repository is a column of `Repository`. Rows are never deleted, only
    lifted, so that past releases can be explained.
    """

    repository = models.ForeignKey(
        Repository, null=True, blank=True, on_delete=models.PROTECT, related_name="opt_outs"
    )
    path = models.CharField(
        max_length=1000,
        blank=True,
        help_text="A file, a folder that ends in /, or a pattern in which * matches any text.",
    )
    author = models.CharField(
        max_length=200,
        blank=True,
        help_text="An owner of repositories, or a name as copyright lines write it.",
    )
    reason = models.CharField(max_length=1000, help_text="Who requested it, when, and how.")
    lifted_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OptOutQuerySet.as_manager()

    class Meta:
        verbose_name = "opt-out"
        ordering = ("-pk",)
        constraints = (
            models.CheckConstraint(
                condition=(Q(repository__isnull=False, author="") & ~Q(path=""))
                | (Q(repository__isnull=True, path="") & ~Q(author="")),
                name="optout_of_paths_or_of_an_author",
                violation_error_message="Name a repository and a path of it, or an author.",
            ),
        )

    def __str__(self) -> str:
        return self.author or f"{self.repository}: {self.path}"
