"""Origins of items: their places in files, and unfinished drafts of pairs."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from curation.models.fields import one_of, sha256
from curation.models.items import Kernel, Pair
from curation.models.licenses import License
from curation.models.sources import Repository, SourceFile
from curation.models.vocabulary import Difficulty, LicenseVerdict, OperationType


class Container(models.TextChoices):
    """Kind of construct that contains the source of the kernel."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    CONDITION = "condition"
    STRING = "string"
    MARKDOWN = "markdown"
    TEMPLATE = "template"
    NOTEBOOK = "notebook"


class Provenance(models.Model):
    """A place of a kernel: lines of a file. The file's row has the repository, path and commit.

    In a notebook, the lines are counted from the start of the code cell `cell`.
    """

    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="provenances")
    source_file = models.ForeignKey(
        SourceFile, on_delete=models.PROTECT, related_name="provenances"
    )
    # A qualname is not unique: both branches of an `if` may define the same name.
    qualname = models.CharField(max_length=500)
    container = models.CharField(max_length=10, choices=Container.choices, default=Container.MODULE)
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    cell = models.PositiveIntegerField(
        null=True, blank=True, help_text="In a notebook: the code cell's number, from 1."
    )
    sha256 = models.CharField(max_length=64, help_text="Of exactly these lines.")
    drawn_from = models.JSONField(
        default=list,
        blank=True,
        help_text="Every file of the repository that the standalone unit uses.",
    )
    license = models.ForeignKey(
        License,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="provenances",
        help_text="The strictest license of all files that the unit uses here.",
    )
    license_verdict = models.CharField(
        max_length=20, choices=LicenseVerdict.choices, default=LicenseVerdict.UNKNOWN
    )
    license_inherited = models.BooleanField(
        default=False, help_text="Stated by the repository only, not by a file."
    )
    license_reason = models.TextField(blank=True)
    copyrights = models.JSONField(
        default=list, blank=True, help_text="The copyright lines that a NOTICE must repeat."
    )
    license_texts = models.JSONField(
        default=list,
        blank=True,
        help_text="License files to export with it: [path, sha256 of a source text].",
    )
    opted_out = models.BooleanField(
        default=False, editable=False, help_text="Whether an opt-out covers this place."
    )
    retired_at = models.DateTimeField(
        null=True, help_text="When an ingest no longer found this kernel there."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "provenances"
        ordering = ("pk",)
        constraints = (
            one_of("license_verdict", LicenseVerdict, "provenance_license_verdict_valid"),
            models.CheckConstraint(
                condition=~Q(license_verdict=LicenseVerdict.PERMISSIVE) | Q(license__isnull=False),
                name="provenance_permissive_names_license",
            ),
            one_of("container", Container, "provenance_container_valid"),
            sha256("sha256", "provenance_sha256_valid"),
            models.UniqueConstraint(
                fields=("source_file", "start_line", "end_line", "qualname", "kernel"),
                name="provenance_once",
            ),
            models.CheckConstraint(
                condition=Q(start_line__gte=1, end_line__gte=F("start_line")),
                name="provenance_lines_ordered",
            ),
        )
        indexes = (
            models.Index(fields=("kernel",), condition=Q(retired_at=None), name="provenance_now"),
        )

    @property
    def lines(self) -> str:
        """Return the line range for display, preceded by the notebook cell."""
        cell = f"cell {self.cell}, " if self.cell else ""
        return f"{cell}{self.start_line}\u2013{self.end_line}"

    @property
    def url(self) -> str:
        file = self.source_file
        if self.cell:
            # GitHub has no address for lines of a notebook's cell.
            return file.repository.page_url(file.commit, file.path)
        return file.repository.blob_url(file.commit, file.path, (self.start_line, self.end_line))


class DraftState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished", "Converted"
    SET_ASIDE = "set-aside", "Dismissed"


class Draft(models.Model):
    """An unfinished pair. There is at most one draft for each operation of a repository.

    Until a person edits the draft, each ingest run overwrites it.
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

    # Properties of the pair that the draft will become.
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
