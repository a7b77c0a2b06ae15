"""Kernels: the standalone unit, its classification and its status."""

from django.db import models
from django.urls import reverse

from curation.models.constraints import one_of, sha256
from curation.models.item import Item, ItemQuerySet, indexes
from curation.models.vocabulary import Difficulty, Hardware, OperationType


class Kind(models.TextChoices):
    """Role of a kernel: launched from the host, or only called by other kernels."""

    ENTRY = "entry", "Entry"
    HELPER = "helper", "Helper"


class Language(models.TextChoices):
    TRITON = "triton", "Triton"
    GLUON = "gluon", "Gluon"
    PALLAS = "pallas", "Pallas"


_NARROWED_BY = (
    "operation_type", "difficulty", "language", "kind", "license_verdict", "license",
)  # fmt: skip


class KernelQuerySet(ItemQuerySet["Kernel"]):
    pass


class Kernel(Item):
    """A Triton kernel, identified by its standalone unit."""

    SOURCES = ("function_source", "standalone_source", "launcher_source")

    content_hash = models.CharField(
        max_length=64, unique=True, help_text="sha256 of the normalized standalone source."
    )
    name = models.CharField(max_length=300)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    language = models.CharField(max_length=10, choices=Language.choices, default=Language.TRITON)
    function_source = models.TextField(
        help_text="The exact lines, starting at the first decorator."
    )
    standalone_source = models.TextField(help_text="The function and all that it needs.")
    launcher_source = models.TextField(blank=True, help_text="The host code that launches it.")
    standalone = models.BooleanField(help_text="Whether every name in the unit resolves.")
    standalone_reasons = models.JSONField(default=list, blank=True)
    notes = models.JSONField(
        default=list, blank=True, help_text="Changes made to isolate it: names, decorators, guards."
    )
    parameters = models.JSONField(default=list, blank=True)
    hardware = models.CharField(max_length=12, choices=Hardware.choices, default=Hardware.CUDA)
    min_triton = models.CharField(
        max_length=8, blank=True, help_text="The oldest Triton release that has every API it uses."
    )
    lines = models.PositiveIntegerField()
    operation_type = models.CharField(max_length=20, choices=OperationType.choices, blank=True)
    difficulty = models.CharField(max_length=10, choices=Difficulty.choices, blank=True)
    kind_evidence = models.JSONField(
        default=list,
        blank=True,
        help_text="The lines that the classification is based on.",
    )
    kind_rules = models.CharField(max_length=40, blank=True)

    objects = KernelQuerySet.as_manager()

    class Meta(Item.Meta):
        permissions = (("steer_queue", "Can pin items to the front of the queue"),)
        constraints = (
            *Item.Meta.constraints,
            sha256("content_hash", "kernel_content_hash_valid"),
            one_of("kind", Kind, "kernel_kind_valid"),
            one_of("language", Language, "kernel_language_valid"),
            one_of("hardware", Hardware, "kernel_hardware_valid"),
            models.CheckConstraint(
                condition=models.Q(operation_type__in=["", *OperationType.values]),
                name="kernel_operation_type_valid",
            ),
            models.CheckConstraint(
                condition=models.Q(difficulty__in=["", *Difficulty.values]),
                name="kernel_difficulty_valid",
            ),
        )
        indexes = (
            *indexes("kernel", "name", *_NARROWED_BY),
            models.Index(fields=("operation_type", "status", "id"), name="kernel_by_operation"),
            models.Index(fields=("license_verdict", "status", "id"), name="kernel_by_verdict"),
            # Nearly all kernels are Triton and CUDA: finding the others would scan a whole index.
            models.Index(fields=("language", "id"), name="kernel_by_language"),
            models.Index(fields=("hardware", "id"), name="kernel_by_hardware"),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("kernel", args=[self.pk])
