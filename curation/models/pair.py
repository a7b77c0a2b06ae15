"""Pairs: Python code, Triton code that computes the same, and a test that compares them."""

from django.conf import settings
from django.db import models
from django.urls import reverse

from curation.models.constraints import one_of, sha256
from curation.models.item import Item, ItemQuerySet, indexes
from curation.models.kernel import Kernel
from curation.models.vocabulary import Difficulty, Hardware, OperationType


class PairOrigin(models.TextChoices):
    """Source of a pair, in the dataset's vocabulary."""

    MANUAL = "manual", "By hand"
    TEMPLATE = "template", "By recipe"
    REAL_WORLD = "real-world", "From real code"
    INDUCTOR = "inductor", "By Inductor"


class PairQuerySet(ItemQuerySet["Pair"]):
    pass


class Pair(Item):
    """A pair, identified by its three texts."""

    SOURCES = ("python_code", "triton_code", "test_code")

    content_hash = models.CharField(
        max_length=64, unique=True, help_text="sha256 of the three normalized sources."
    )
    slug = models.SlugField(max_length=120, help_text="The readable part of the record's id.")
    entry_point = models.CharField(max_length=200)
    python_code = models.TextField()
    triton_code = models.TextField()
    test_code = models.TextField()
    origin = models.CharField(max_length=20, choices=PairOrigin.choices)
    operation_type = models.CharField(max_length=20, choices=OperationType.choices)
    difficulty = models.CharField(max_length=10, choices=Difficulty.choices)
    description = models.TextField(
        blank=True, help_text="One English sentence: what both functions compute."
    )
    hardware = models.CharField(max_length=12, choices=Hardware.choices, default=Hardware.CUDA)
    min_triton = models.CharField(
        max_length=8, blank=True, help_text="The oldest Triton release that has every API it uses."
    )
    differentiable = models.BooleanField(default=False)
    recipe = models.CharField(max_length=100, blank=True)
    split_group = models.CharField(
        max_length=200, blank=True, help_text="All pairs of a group are in one split."
    )
    metadata = models.JSONField(default=dict, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="pairs",
        help_text="Who edited it. Reviewers cannot decide on their own edits.",
    )

    kernel = models.ForeignKey(
        Kernel,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="pairs",
        help_text="The ingested kernel that it was drafted from.",
    )

    objects = PairQuerySet.as_manager()

    class Meta(Item.Meta):
        constraints = (
            *Item.Meta.constraints,
            sha256("content_hash", "pair_content_hash_valid"),
            one_of("origin", PairOrigin, "pair_origin_valid"),
            one_of("operation_type", OperationType, "pair_operation_type_valid"),
            one_of("difficulty", Difficulty, "pair_difficulty_valid"),
            one_of("hardware", Hardware, "pair_hardware_valid"),
        )
        indexes = indexes(
            "pair", "slug", "operation_type", "difficulty", "origin", "license_verdict", "license"
        )

    def __str__(self) -> str:
        return f"{self.slug}-{self.content_hash[:8]}"

    def get_absolute_url(self) -> str:
        return reverse("pair", args=[self.pk])
