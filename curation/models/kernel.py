"""A kernel: its standalone unit, what is known of it, and where it stands."""

from typing import Self

from django.db import models
from django.urls import reverse

from curation.models.constraints import one_of, sha256
from curation.models.examined import ExaminedQuerySet
from curation.models.license import License
from curation.models.vocabulary import Difficulty, LicenseVerdict, OperationType, Status


class Kind(models.TextChoices):
    """Launched from the host, or only called from other kernels."""

    ENTRY = "entry", "Entry"
    HELPER = "helper", "Helper"


class Language(models.TextChoices):
    TRITON = "triton", "Triton"
    GLUON = "gluon", "Gluon"


# Long texts: lists leave them in the database.
SOURCES = ("function_source", "standalone_source", "launcher_source")


class KernelQuerySet(ExaminedQuerySet["Kernel"]):
    def pending(self) -> Self:
        return self.filter(status=Status.PENDING)

    def approved(self) -> Self:
        return self.filter(status=Status.APPROVED)

    def without_sources(self) -> Self:
        return self.defer(*SOURCES)


class Kernel(models.Model):
    """Identity is content: a changed source is another row, linked by `previous`."""

    content_hash = models.CharField(
        max_length=64, unique=True, help_text="sha256 of the normalised standalone source."
    )
    name = models.CharField(max_length=300)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    language = models.CharField(max_length=10, choices=Language.choices, default=Language.TRITON)
    function_source = models.TextField(help_text="The exact lines, from the first decorator on.")
    standalone_source = models.TextField(help_text="The function and all that it needs.")
    launcher_source = models.TextField(blank=True, help_text="The host code that launches it.")
    standalone = models.BooleanField(help_text="Whether every name in the unit resolves.")
    standalone_reasons = models.JSONField(default=list, blank=True)
    notes = models.JSONField(
        default=list, blank=True, help_text="What isolating it changed: names, decorators, guards."
    )
    parameters = models.JSONField(default=list, blank=True)
    lines = models.PositiveIntegerField()
    tokens = models.PositiveIntegerField(null=True)

    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PENDING, editable=False
    )
    version = models.PositiveIntegerField(
        default=1, editable=False, help_text="Grows with every decision; a stale page is told so."
    )
    operation_type = models.CharField(max_length=20, choices=OperationType.choices, blank=True)
    difficulty = models.CharField(max_length=10, choices=Difficulty.choices, blank=True)
    tags = models.JSONField(default=list, blank=True)
    kind_evidence = models.JSONField(
        default=list,
        blank=True,
        help_text="The lines that the kind rests on.",
    )
    kind_rules = models.CharField(max_length=40, blank=True)
    kind_corrected = models.BooleanField(
        default=False,
        editable=False,
        help_text="A person set operation, difficulty or tags: runs leave all three alone.",
    )
    priority = models.IntegerField(
        default=0, editable=False, help_text="In the queue; higher comes first."
    )
    pinned = models.BooleanField(default=False, editable=False)
    license = models.ForeignKey(
        License,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="kernels",
        help_text="The strictest over every file that the unit draws from.",
    )
    license_verdict = models.CharField(
        max_length=20, choices=LicenseVerdict.choices, default=LicenseVerdict.UNKNOWN
    )
    previous = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="next_versions"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = KernelQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        permissions = (("steer_queue", "Can pin what is to be reviewed first"),)
        constraints = (
            sha256("content_hash", "kernel_content_hash_valid"),
            one_of("kind", Kind, "kernel_kind_valid"),
            one_of("language", Language, "kernel_language_valid"),
            one_of("status", Status, "kernel_status_valid"),
            one_of("license_verdict", LicenseVerdict, "kernel_license_verdict_valid"),
            models.CheckConstraint(
                condition=models.Q(operation_type__in=["", *OperationType.values]),
                name="kernel_operation_type_valid",
            ),
            models.CheckConstraint(
                condition=models.Q(difficulty__in=["", *Difficulty.values]),
                name="kernel_difficulty_valid",
            ),
            models.CheckConstraint(
                condition=~models.Q(license_verdict=LicenseVerdict.PERMISSIVE)
                | models.Q(license__isnull=False),
                name="kernel_permissive_names_license",
            ),
        )
        indexes = (
            models.Index(fields=("status", "id"), name="kernel_by_status"),
            models.Index(fields=("status", "-priority", "id"), name="kernel_queue"),
            models.Index(fields=("operation_type", "status", "id"), name="kernel_by_operation"),
            models.Index(fields=("license_verdict", "status", "id"), name="kernel_by_verdict"),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("kernel", args=[self.pk])
