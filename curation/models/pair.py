"""A pair: python code, the Triton that computes the same, and the test that shows it."""

from typing import Self

from django.conf import settings
from django.db import models
from django.urls import reverse

from curation.models.constraints import one_of, sha256
from curation.models.examined import ExaminedQuerySet
from curation.models.kernel import Kernel
from curation.models.license import License
from curation.models.vocabulary import Difficulty, LicenseVerdict, OperationType, Status


class PairOrigin(models.TextChoices):
    """How a pair came to be, in the dataset's own words."""

    MANUAL = "manual", "By hand"
    TEMPLATE = "template", "By recipe"
    REAL_WORLD = "real-world", "From real code"
    INDUCTOR = "inductor", "By Inductor"


SOURCES = ("python_code", "triton_code", "test_code")


class PairQuerySet(ExaminedQuerySet["Pair"]):
    def pending(self) -> Self:
        return self.filter(status=Status.PENDING)

    def approved(self) -> Self:
        return self.filter(status=Status.APPROVED)

    def without_sources(self) -> Self:
        return self.defer(*SOURCES)


class Pair(models.Model):
    """Identity is content: an edited pair is another row, linked by `previous`."""

    content_hash = models.CharField(
        max_length=64, unique=True, help_text="sha256 over the three normalised sources."
    )
    slug = models.SlugField(max_length=120, help_text="The readable part of the record's id.")
    entry_point = models.CharField(max_length=200)
    python_code = models.TextField()
    triton_code = models.TextField()
    test_code = models.TextField()
    origin = models.CharField(max_length=20, choices=PairOrigin.choices)
    operation_type = models.CharField(max_length=20, choices=OperationType.choices)
    difficulty = models.CharField(max_length=10, choices=Difficulty.choices)
    tags = models.JSONField(default=list, blank=True)
    differentiable = models.BooleanField(default=False)
    recipe = models.CharField(max_length=100, blank=True)
    split_group = models.CharField(
        max_length=200, blank=True, help_text="Pairs of one group never straddle a split."
    )
    metadata = models.JSONField(default=dict, blank=True)
    tokens = models.PositiveIntegerField(null=True)
    kind_corrected = models.BooleanField(
        default=False,
        editable=False,
        help_text="A person set operation, difficulty or tags: runs leave all three alone.",
    )
    priority = models.IntegerField(
        default=0, editable=False, help_text="In the queue; higher comes first."
    )
    pinned = models.BooleanField(default=False, editable=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="pairs",
        help_text="Who edited it; nobody decides on their own edit.",
    )

    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PENDING, editable=False
    )
    version = models.PositiveIntegerField(default=1, editable=False)
    license = models.ForeignKey(
        License, null=True, blank=True, on_delete=models.PROTECT, related_name="pairs"
    )
    license_verdict = models.CharField(
        max_length=20, choices=LicenseVerdict.choices, default=LicenseVerdict.UNKNOWN
    )
    kernel = models.ForeignKey(
        Kernel,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="pairs",
        help_text="The ingested kernel that it was drafted from.",
    )
    previous = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="next_versions"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = PairQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            sha256("content_hash", "pair_content_hash_valid"),
            one_of("origin", PairOrigin, "pair_origin_valid"),
            one_of("operation_type", OperationType, "pair_operation_type_valid"),
            one_of("difficulty", Difficulty, "pair_difficulty_valid"),
            one_of("status", Status, "pair_status_valid"),
            one_of("license_verdict", LicenseVerdict, "pair_license_verdict_valid"),
            models.CheckConstraint(
                condition=~models.Q(license_verdict=LicenseVerdict.PERMISSIVE)
                | models.Q(license__isnull=False),
                name="pair_permissive_names_license",
            ),
        )
        indexes = (
            models.Index(fields=("status", "id"), name="pair_by_status"),
            models.Index(fields=("status", "-priority", "id"), name="pair_queue"),
        )

    def __str__(self) -> str:
        return f"{self.slug}-{self.content_hash[:8]}"

    def get_absolute_url(self) -> str:
        return reverse("pair", args=[self.pk])
