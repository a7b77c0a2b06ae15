"""Kernels and pairs: the items that are classified, reviewed and released."""

from typing import ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from curation.models.fields import one_of, sha256
from curation.models.licenses import License
from curation.models.vocabulary import Difficulty, Hardware, LicenseVerdict, OperationType, Status

T = TypeVar("T", bound="Item")


class ItemQuerySet(models.QuerySet[T]):
    def pending(self) -> Self:
        return self.filter(status=Status.PENDING)

    def without_sources(self) -> Self:
        """Defer the long texts, which lists do not show."""
        return self.defer(*self.model.SOURCES)


def indexes(model: str, name: str, *columns: str) -> tuple[models.Index, ...]:
    """Return the covering indexes of lists and of the queue.

    They contain all filtered columns. Reading rows is slow, because a row fills several disk pages.
    """
    return (
        _given(model, "previous"),
        models.Index(fields=("id", "status", *columns, name), name=f"{model}_by_age"),
        models.Index(fields=("-priority", "id", "status", *columns), name=f"{model}_by_priority"),
        models.Index(fields=("status", "-priority", "id", *columns), name=f"{model}_queue"),
    )


def _given(model: str, column: str, *columns: str) -> models.Index:
    """Return an index of the rows that have a value. SQLite would not use an index with NULLs."""
    present = Q(**{f"{column}__isnull": False})
    return models.Index(fields=columns or (column,), condition=present, name=f"{model}_by_{column}")


class Item(models.Model):
    """A kernel or a pair.

    An item is identified by its content. A changed text is a new row that is linked by `previous`.
    """

    SOURCES: ClassVar[tuple[str, ...]]

    tags = models.JSONField(default=list, blank=True)
    tokens = models.PositiveIntegerField(null=True)
    kind_corrected = models.BooleanField(
        default=False,
        editable=False,
        help_text="A person set operation, difficulty or tags: ingest runs keep all three.",
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PENDING, editable=False
    )
    version = models.PositiveIntegerField(
        default=1,
        editable=False,
        help_text="Increases with every decision, so that a stale page is detected.",
    )
    priority = models.IntegerField(
        default=0, editable=False, help_text="Position in the queue: higher comes first."
    )
    pinned = models.BooleanField(default=False, editable=False)
    # Number of open claims on the claim sheet. Null if evidence has changed since the last count.
    open_claims = models.PositiveSmallIntegerField(null=True, editable=False)
    hardware = models.CharField(max_length=12, choices=Hardware.choices, default=Hardware.CUDA)
    min_triton = models.CharField(
        max_length=8, blank=True, help_text="The oldest Triton release that has every API it uses."
    )
    license = models.ForeignKey(
        License,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="%(class)ss",
        help_text="The strictest license of all files that the item uses.",
    )
    license_verdict = models.CharField(
        max_length=20, choices=LicenseVerdict.choices, default=LicenseVerdict.UNKNOWN
    )
    previous = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        db_index=False,
        on_delete=models.PROTECT,
        related_name="next_versions",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
        ordering = ("pk",)
        constraints: ClassVar[tuple[models.BaseConstraint, ...]] = (
            one_of("status", Status, "%(class)s_status_valid"),
            one_of("license_verdict", LicenseVerdict, "%(class)s_license_verdict_valid"),
            models.CheckConstraint(
                condition=~Q(license_verdict=LicenseVerdict.PERMISSIVE) | Q(license__isnull=False),
                name="%(class)s_permissive_names_license",
            ),
        )


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
    lines = models.PositiveIntegerField()
    registers = models.PositiveIntegerField(
        null=True, editable=False, help_text="Of a thread, by the newest compile check."
    )
    spilled_bytes = models.PositiveIntegerField(
        null=True, editable=False, help_text="Local memory of a thread, by the same check."
    )
    operation_type = models.CharField(max_length=20, choices=OperationType.choices, blank=True)
    difficulty = models.CharField(max_length=10, choices=Difficulty.choices, blank=True)
    kind_evidence = models.JSONField(
        default=list,
        blank=True,
        help_text="The lines that the classification is based on.",
    )
    kind_rules = models.CharField(max_length=40, blank=True)

    objects = ItemQuerySet["Kernel"].as_manager()

    class Meta(Item.Meta):
        permissions = (("steer_queue", "Can pin items to the front of the queue"),)
        constraints = (
            *Item.Meta.constraints,
            sha256("content_hash", "kernel_content_hash_valid"),
            one_of("kind", Kind, "kernel_kind_valid"),
            one_of("language", Language, "kernel_language_valid"),
            one_of("hardware", Hardware, "kernel_hardware_valid"),
            models.CheckConstraint(
                condition=Q(operation_type__in=["", *OperationType.values]),
                name="kernel_operation_type_valid",
            ),
            models.CheckConstraint(
                condition=Q(difficulty__in=["", *Difficulty.values]),
                name="kernel_difficulty_valid",
            ),
        )
        indexes = (
            *indexes("kernel", "name", *_NARROWED_BY),
            models.Index(fields=("operation_type", "status", "id"), name="kernel_by_operation"),
            models.Index(fields=("license_verdict", "status", "id"), name="kernel_by_verdict"),
            # Nearly all kernels are Triton and CUDA. A query for others would scan a full index.
            models.Index(fields=("language", "id"), name="kernel_by_language"),
            models.Index(fields=("hardware", "id"), name="kernel_by_hardware"),
            models.Index(fields=("open_claims", "id"), name="kernel_by_open_claims"),
            models.Index(fields=("name", "id"), name="kernel_by_name"),
            models.Index(fields=("lines", "id"), name="kernel_by_lines"),
            _given("kernel", "registers", "-registers", "id", "spilled_bytes"),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("kernel", args=[self.pk])


class PairOrigin(models.TextChoices):
    """Origin of a pair, in the vocabulary of the dataset."""

    MANUAL = "manual", "By hand"
    TEMPLATE = "template", "By recipe"
    REAL_WORLD = "real-world", "From real code"
    INDUCTOR = "inductor", "By Inductor"


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
    differentiable = models.BooleanField(default=False)
    speedup = models.FloatField(
        null=True, editable=False, help_text="Against eager PyTorch, when it was last timed."
    )
    pass_rate = models.FloatField(
        null=True, editable=False, help_text="Share of attempts of models that passed its test."
    )
    recipe = models.CharField(max_length=100, blank=True)
    split_group = models.CharField(
        max_length=200, blank=True, help_text="All pairs of a group are in one split."
    )
    ladder = models.CharField(max_length=100, blank=True, help_text="They share a Python side.")
    rung = models.CharField(max_length=60, blank=True, help_text="From the slowest: 1 naive.")
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
        db_index=False,
        on_delete=models.PROTECT,
        related_name="pairs",
        help_text="The ingested kernel that it was drafted from.",
    )

    objects = ItemQuerySet["Pair"].as_manager()

    class Meta(Item.Meta):
        constraints = (
            *Item.Meta.constraints,
            sha256("content_hash", "pair_content_hash_valid"),
            one_of("origin", PairOrigin, "pair_origin_valid"),
            one_of("operation_type", OperationType, "pair_operation_type_valid"),
            one_of("difficulty", Difficulty, "pair_difficulty_valid"),
            one_of("hardware", Hardware, "pair_hardware_valid"),
            models.CheckConstraint(
                condition=Q(ladder="", rung="") | (~Q(ladder="") & ~Q(rung="")),
                name="pair_rung_iff_ladder",
            ),
        )
        indexes = (
            *indexes(
                "pair", "slug", "operation_type", "difficulty", "origin", "license_verdict",
                "license",
            ),
            _given("pair", "kernel"),
            models.Index(fields=("open_claims", "id"), name="pair_by_open_claims"),
            _given("pair", "speedup", "-speedup", "id"),
            _given("pair", "pass_rate", "-pass_rate", "id"),
            models.Index(fields=("ladder", "rung"), condition=~Q(ladder=""), name="pair_by_ladder"),
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.slug}-{self.content_hash[:8]}"

    def get_absolute_url(self) -> str:
        return reverse("pair", args=[self.pk])


class AboutKernelOrPair(models.Model):
    """Base model of rows about one item: either a kernel or a pair."""

    kernel = models.ForeignKey(
        Kernel, null=True, blank=True, on_delete=models.PROTECT, related_name="%(class)ss"
    )
    pair = models.ForeignKey(
        Pair, null=True, blank=True, on_delete=models.PROTECT, related_name="%(class)ss"
    )

    class Meta:
        abstract = True
        constraints: ClassVar[tuple[models.BaseConstraint, ...]] = (
            models.CheckConstraint(
                condition=Q(kernel__isnull=False, pair__isnull=True)
                | Q(kernel__isnull=True, pair__isnull=False),
                name="%(class)s_about_one_item",
            ),
        )

    @property
    def item(self) -> Kernel | Pair:
        item = self.kernel or self.pair
        assert item is not None, "the database holds exactly one of the two"  # noqa: S101
        return item
