"""Provenances: one row for each place where a kernel was found."""

from django.db import models
from django.db.models import F, Q

from curation.models.compiled_graph import CompiledGraph
from curation.models.constraints import one_of, sha256
from curation.models.kernel import Kernel
from curation.models.license import License
from curation.models.source_file import SourceFile
from curation.models.vocabulary import LicenseVerdict


class Container(models.TextChoices):
    """Construct that contains the kernel's source."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    CONDITION = "condition"
    STRING = "string"
    MARKDOWN = "markdown"
    TEMPLATE = "template"
    NOTEBOOK = "notebook"


class Provenance(models.Model):
    """Lines of a file. The file's row holds the repository, path and commit.

    In a notebook the lines are counted within the code cell `cell`.
    """

    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="provenances")
    source_file = models.ForeignKey(
        SourceFile, on_delete=models.PROTECT, related_name="provenances"
    )
    # A qualname is not unique: both branches of an `if` may define the same one.
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
    graph = models.ForeignKey(
        CompiledGraph,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="provenances",
        help_text="The graph that torch.compile emitted this kernel for.",
    )
    origins = models.JSONField(
        default=dict, blank=True, help_text="The graph's nodes and ATen operations, if known."
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

    def __str__(self) -> str:
        return f"{self.source_file} {self.lines}"

    @property
    def lines(self) -> str:
        """Return the line range for display, preceded by the notebook cell."""
        cell = f"cell {self.cell}, " if self.cell else ""
        return f"{cell}{self.start_line}\u2013{self.end_line}"

    @property
    def url(self) -> str:
        file = self.source_file
        if self.cell:
            # GitHub has no address for the lines of a notebook's cell.
            return file.repository.page_url(file.commit, file.path)
        return file.repository.blob_url(file.commit, file.path, (self.start_line, self.end_line))
