"""Evidence about items: near-duplicates, benchmark overlaps, shared operations, quality."""

from typing import Self

from django.db import models
from django.db.models import F, Q

from curation.models.fields import fraction, once_per_item, one_of, sha256
from curation.models.items import AboutKernelOrPair, Kernel, Pair
from curation.models.sources import Repository
from curation.models.vocabulary import Action, Hardware, LicenseVerdict, Status


class FingerprintQuerySet(models.QuerySet["Fingerprint"]):
    def never_compared(self) -> Self:
        return self.filter(compared_with="").exclude(status=Status.RETIRED)

    def not_compared_with(self, benchmarks: str) -> Self:
        """Return items not compared with these benchmarks.

        The condition is two ranges instead of an inequality, so that the database uses the index.
        """
        other = Q(compared_with__lt=benchmarks) | Q(compared_with__gt=benchmarks)
        return self.filter(other).exclude(status=Status.RETIRED)


class Fingerprint(AboutKernelOrPair):
    """MinHash of an item's tokens, and hash of its syntax tree without names.

    It also has a copy of the facts that decide on a cluster's representative, to detect changes.
    """

    NO_BENCHMARKS = "nothing"
    """Value of `compared_with` if there was no benchmark when the item was compared."""

    scheme = models.CharField(max_length=60, help_text="Tokens, permutations, seed and hash.")
    content_hash = models.CharField(max_length=64)
    syntax_hash = models.CharField(max_length=64, db_index=True)
    token_count = models.PositiveIntegerField()
    signature = models.BinaryField()
    operation_hash = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of a pair: the Python operations with operands and constants.",
    )
    chain_hash = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="Of a pair: the names of the Python operations, in order. "
        "Of a kernel: its name and the functions that it calls.",
    )
    structure = models.BinaryField(
        null=True,
        help_text="Of a pair: 5-grams of the Python tokens, without names and numbers.",
    )

    placed = models.BooleanField(
        null=True,
        help_text="True if it has been compared and is not retired. Null: not compared yet.",
    )
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    license_verdict = models.CharField(
        max_length=20, choices=LicenseVerdict.choices, default=LicenseVerdict.UNKNOWN
    )
    hardware = models.CharField(max_length=12, choices=Hardware.choices, default=Hardware.CUDA)
    license_stated = models.BooleanField(
        default=False, help_text="True if the item's own text states it, not only its repository."
    )
    documented = models.BooleanField(default=False)
    stars = models.PositiveIntegerField(
        default=0, help_text="Of the most popular repository that contains it."
    )
    compared_with = models.CharField(
        max_length=64,
        blank=True,
        help_text="Hash of the benchmarks it was compared with. Empty: not compared yet.",
    )

    objects = FingerprintQuerySet.as_manager()

    class Meta(AboutKernelOrPair.Meta):
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            sha256("content_hash", "fingerprint_content_hash_valid"),
            one_of("status", Status, "fingerprint_status_valid"),
            one_of("license_verdict", LicenseVerdict, "fingerprint_license_verdict_valid"),
            *once_per_item("fingerprint_one_per_item", "item"),
        )
        indexes = (
            models.Index(
                fields=("id",), condition=Q(placed=None), name="fingerprint_not_looked_at"
            ),
            models.Index(
                fields=("compared_with",),
                condition=~Q(status=Status.RETIRED),
                name="fingerprint_by_benchmarks",
            ),
        )


class Band(models.Model):
    """One band of a signature. Items that share a band are candidate near-duplicates."""

    # No index on this column: the constraint's index starts with it, and an item has 25 rows.
    fingerprint = models.ForeignKey(
        Fingerprint, on_delete=models.CASCADE, related_name="bands", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    value = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("fingerprint", "number"), name="band_once"),)
        # Covering index: a lookup by value needs only the fingerprint.
        indexes = (models.Index(fields=("value", "fingerprint"), name="band_by_value"),)


class Likeness(models.TextChoices):
    EXACT = "exact", "Exact, ignoring names"
    NEAR = "near", "Near"


class DuplicateLink(AboutKernelOrPair):
    """Link from an item to the representative of its cluster."""

    of_kernel = models.ForeignKey(
        Kernel, null=True, blank=True, on_delete=models.PROTECT, related_name="stands_for"
    )
    of_pair = models.ForeignKey(
        Pair, null=True, blank=True, on_delete=models.PROTECT, related_name="stands_for"
    )
    likeness = models.CharField(max_length=10, choices=Likeness.choices)
    similarity = models.FloatField(help_text="Jaccard similarity, 0 to 1.")
    content_hash = models.CharField(
        max_length=64, help_text="Of the item at the time of comparison."
    )
    of_content_hash = models.CharField(max_length=64)

    class Meta(AboutKernelOrPair.Meta):
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            one_of("likeness", Likeness, "duplicatelink_likeness_valid"),
            fraction("similarity", "duplicatelink_similarity_fraction"),
            models.CheckConstraint(
                condition=Q(kernel__isnull=False, of_kernel__isnull=False, of_pair__isnull=True)
                | Q(pair__isnull=False, of_pair__isnull=False, of_kernel__isnull=True),
                name="duplicatelink_like_with_like",
            ),
            models.CheckConstraint(
                condition=(Q(kernel=None) | ~Q(kernel=F("of_kernel")))
                & (Q(pair=None) | ~Q(pair=F("of_pair"))),
                name="duplicatelink_not_of_itself",
            ),
            *once_per_item("duplicatelink_one_per_item", "item"),
        )


class CopyFlag(models.Model):
    """A kernel that may be a copy of a kernel under a blocked license. A person must check it."""

    kernel = models.ForeignKey(Kernel, on_delete=models.CASCADE, related_name="copy_flags")
    blocked = models.ForeignKey(
        Kernel,
        on_delete=models.CASCADE,
        related_name="copies",
        help_text="The same or nearly the same code, under a license that forbids distribution.",
    )
    likeness = models.CharField(max_length=10, choices=Likeness.choices)
    similarity = models.FloatField(help_text="Jaccard similarity, 0 to 1.")

    class Meta:
        ordering = ("-similarity", "pk")
        constraints = (
            one_of("likeness", Likeness, "copyflag_likeness_valid"),
            fraction("similarity", "copyflag_similarity_fraction"),
            models.CheckConstraint(
                condition=~Q(kernel=F("blocked")), name="copyflag_not_of_itself"
            ),
            models.UniqueConstraint(fields=("kernel", "blocked"), name="copyflag_once"),
        )


class MatchMethod(models.TextChoices):
    SYNTAX = "syntax", "Same syntax, ignoring names"
    NEAR = "near", "Near-duplicate"
    CONTAINED = "contained", "Contained"


class ContaminationMatch(AboutKernelOrPair):
    """A benchmark problem that an item overlaps. Such an item is never exported."""

    benchmark = models.ForeignKey(
        Repository, on_delete=models.PROTECT, related_name="contaminations"
    )
    problem = models.CharField(max_length=500)
    path = models.CharField(max_length=1000)
    constants_differ = models.BooleanField(
        default=False, help_text="The same syntax except for numbers and strings."
    )
    method = models.CharField(max_length=20, choices=MatchMethod.choices)
    similarity = models.FloatField()
    content_hash = models.CharField(max_length=64)

    class Meta(AboutKernelOrPair.Meta):
        verbose_name_plural = "contamination matches"
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            one_of("method", MatchMethod, "contaminationmatch_method_valid"),
            fraction("similarity", "contaminationmatch_similarity_fraction"),
        )


class OperationOverlap(AboutKernelOrPair):
    """A benchmark problem with the same operations as a pair. Such a pair may be exported."""

    benchmark = models.ForeignKey(
        Repository, on_delete=models.PROTECT, related_name="operation_overlaps"
    )
    problem = models.CharField(max_length=500)
    content_hash = models.CharField(max_length=64)


class QualityFinding(models.Model):
    """Result of one quality gate for one kernel."""

    kernel = models.ForeignKey(Kernel, on_delete=models.CASCADE, related_name="findings")
    gate = models.CharField(max_length=60)
    passed = models.BooleanField()
    action = models.CharField(max_length=10, choices=Action.choices)
    value = models.FloatField(null=True)
    message = models.TextField(blank=True)
    rules = models.CharField(max_length=40, help_text="Version of the rules that found it.")

    class Meta:
        ordering = ("gate",)
        constraints = (
            one_of("action", Action, "qualityfinding_action_valid"),
            models.UniqueConstraint(fields=("kernel", "gate"), name="qualityfinding_one_per_gate"),
        )
