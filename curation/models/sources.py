"""Repositories, their files and texts, and the opt-outs of authors."""

from functools import lru_cache
from typing import Self
from urllib.parse import quote

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from curation.models.fields import one_of, sha256

# Cached because consecutive kernels are mostly of the same file. An entry takes up to 13 kB.
_quoted = lru_cache(maxsize=512)(quote)


class Category(models.TextChoices):
    """Collection that a source belongs to. `utils` is for sources that fit no other collection."""

    TUTORIAL = "tutorial", "Tutorial"
    INDUCTOR = "inductor", "Inductor"
    FLASHATTENTION = "flashattention", "FlashAttention"
    XFORMERS = "xformers", "xFormers"
    JAX = "jax", "JAX"
    UTILS = "utils", "Utilities"


class Role(models.TextChoices):
    """Use of a source: for training, or to be excluded from the dataset."""

    SOURCE = "source", "Source"
    BENCHMARK = "benchmark", "Benchmark"


class Origin(models.TextChoices):
    """Access method of a source."""

    GIT = "git", "Git repository on the web"
    FOLDER = "folder", "Folder or repository on this machine"
    INDUCTOR = "inductor", "torch.compile debug folder"


class Condition(models.TextChoices):
    """Health of a source at its last check."""

    FINE = "fine", "OK"
    VANISHED = "vanished", "Vanished"
    MOVED = "moved", "Moved"
    RELICENSED = "relicensed", "License changed"


class RepositoryQuerySet(models.QuerySet["Repository"]):
    def enabled(self) -> Self:
        return self.filter(enabled=True, opted_out_at=None)

    def sources(self) -> Self:
        return self.filter(role=Role.SOURCE)

    def benchmarks(self) -> Self:
        return self.filter(role=Role.BENCHMARK)

    def named(self, text: str) -> Self:
        """Return the source that has this text as name, URL or path."""
        return self.filter(Q(name__iexact=text) | Q(url=text))


class Repository(models.Model):
    """A source of kernels, or a benchmark that must stay out of the dataset."""

    name = models.CharField(
        max_length=300, unique=True, help_text="owner/name on GitHub, or a folder's path."
    )
    url = models.CharField(max_length=1000, unique=True, help_text="https URL, or a folder's path.")
    origin = models.CharField(max_length=20, choices=Origin.choices, default=Origin.GIT)
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.SOURCE)
    category = models.CharField(max_length=30, choices=Category.choices, default=Category.UTILS)
    tier = models.PositiveSmallIntegerField(
        default=3, help_text="1: required, 2: recommended, 3: optional."
    )
    ref = models.CharField(
        max_length=250, blank=True, help_text="Branch, tag or commit; empty: the default branch."
    )
    sparse_paths = models.JSONField(
        default=list, blank=True, help_text="Folders and files to read; empty: everything."
    )
    include_globs = models.JSONField(
        default=list, blank=True, help_text="Empty: **/*.py, **/*.md and **/*.ipynb"
    )
    exclude_globs = models.JSONField(default=list, blank=True)
    key_files = models.JSONField(
        default=list,
        blank=True,
        help_text="The most important files, in order; globs are allowed.",
    )
    submodules = models.JSONField(
        default=list, blank=True, help_text="Paths of submodules that are read too."
    )
    expected_license = models.CharField(
        max_length=200, blank=True, help_text="SPDX expression that the repository should carry."
    )
    upsampling_weight = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        default=1,
        help_text="Training weight relative to ordinary Python: 5 to 10 for Triton.",
    )
    estimated_tokens_low = models.PositiveBigIntegerField(null=True, blank=True)
    estimated_tokens_high = models.PositiveBigIntegerField(null=True, blank=True)
    stars = models.PositiveIntegerField(null=True, blank=True)
    notes = models.TextField(blank=True)

    kernel_count = models.PositiveIntegerField(
        null=True, editable=False, help_text="Kernels that discovery counted."
    )
    launcher_count = models.PositiveIntegerField(
        null=True, editable=False, help_text="Functions and classes that launch a kernel."
    )
    comparing_tests = models.PositiveIntegerField(
        null=True, editable=False, help_text="Tests that compare values, in files with a launcher."
    )
    compared_launchers = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text="Launchers that such tests reach: the most drafts to expect.",
    )

    enabled = models.BooleanField(default=True, help_text="Whether scheduled ingests read it.")
    refresh_days = models.PositiveSmallIntegerField(default=90)
    opted_out_at = models.DateTimeField(null=True, blank=True)
    opt_out_reason = models.TextField(blank=True)

    # The values that `load_sources` wrote last. Any other value is a change by an admin.
    shipped = models.JSONField(default=dict, blank=True, editable=False)
    condition = models.CharField(
        max_length=20, choices=Condition.choices, default=Condition.FINE, editable=False
    )
    condition_note = models.TextField(blank=True, editable=False)
    clone_of = models.CharField(
        max_length=500,
        blank=True,
        editable=False,
        help_text="The GitHub address that a local clone's configuration names; not verified.",
    )
    stated = models.JSONField(
        default=dict,
        editable=False,
        help_text="Of compiled code: repository, commit, license and copyright of the model.",
    )
    last_commit = models.CharField(max_length=64, blank=True, editable=False)
    last_ingested_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_reading = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="Hash of the last ingest's input and rules.",
    )
    last_drafting = models.CharField(
        max_length=64, blank=True, editable=False, help_text="The reading that was last drafted."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
    )

    objects = RepositoryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "repositories"
        ordering = ("tier", "name")
        constraints = (
            one_of("origin", Origin, "repository_origin_valid"),
            one_of("role", Role, "repository_role_valid"),
            one_of("condition", Condition, "repository_condition_valid"),
            one_of("category", Category, "repository_category_valid"),
            models.CheckConstraint(
                condition=Q(tier__gte=1, tier__lte=3), name="repository_tier_1_to_3"
            ),
            models.CheckConstraint(
                condition=Q(upsampling_weight__gt=0), name="repository_weight_positive"
            ),
            models.CheckConstraint(
                condition=Q(estimated_tokens_low=None, estimated_tokens_high=None)
                | Q(
                    estimated_tokens_low__isnull=False,
                    estimated_tokens_high__gte=F("estimated_tokens_low"),
                ),
                name="repository_token_estimate_ordered",
            ),
            models.CheckConstraint(
                condition=Q(refresh_days__gte=1), name="repository_refresh_at_least_daily"
            ),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("admin:curation_repository_change", args=[self.pk])

    @property
    def opted_out(self) -> bool:
        return self.opted_out_at is not None

    def blob_url(self, commit: str, path: str, lines: tuple[int, int]) -> str:
        """Return the web page of these lines at this commit, or "" if the source has none."""
        page = self.page_url(commit, path)
        return page and f"{page}#L{lines[0]}-L{lines[1]}"

    def page_url(self, commit: str, path: str) -> str:
        """Return the web page of a file at this commit, or "" if the source has none.

        The page may not exist, because a local clone may have commits that were never pushed.
        """
        site = self.url if self.origin == Origin.GIT else self.clone_of
        return f"{site}/blob/{commit}/{_quoted(path)}" if site else ""


class SourceFile(models.Model):
    """One version of a file. A path of a repository has a row for each content that it has had."""

    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=1000)
    commit = models.CharField(
        max_length=64, help_text="The first ingested commit at which it had this content."
    )
    blob_hash = models.CharField(max_length=64, help_text="Git's hash of the content.")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    lines = models.PositiveIntegerField()
    tokens = models.PositiveIntegerField(null=True)
    retired_at = models.DateTimeField(
        null=True, help_text="When an ingest no longer found this content at this path."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("repository", "path")
        constraints = (
            sha256("sha256", "sourcefile_sha256_valid"),
            models.UniqueConstraint(
                fields=("repository", "path", "blob_hash"), name="sourcefile_one_per_content"
            ),
            models.UniqueConstraint(
                fields=("repository", "path"),
                condition=Q(retired_at=None),
                name="sourcefile_one_current_per_path",
            ),
        )
        indexes = (models.Index(fields=("blob_hash",), name="sourcefile_by_blob"),)


class SourceText(models.Model):
    """Text of a file. Stored in the database, because the web host may lack the mirror.

    For a notebook, only the text of its code cells is stored.
    """

    sha256 = models.CharField(max_length=64, primary_key=True, help_text="Of the file's bytes.")
    text = models.TextField(help_text="Decoded, each line ended by a line feed.")

    class Meta:
        constraints = (sha256("sha256", "sourcetext_sha256_valid"),)


class OptOutQuerySet(models.QuerySet["OptOut"]):
    def in_force(self) -> Self:
        return self.filter(lifted_at=None)


class OptOut(models.Model):
    """An opt-out of paths of one repository, or of an author.

    The opt-out of a complete repository is a column of `Repository`. Opt-outs are never deleted,
    only lifted, so that past releases can be explained.
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
