"""What an item looks like to a machine: fingerprints and their bands, twins, benchmark matches."""

from django.db import models
from django.db.models import F, Q

from curation.models.constraints import fraction, one_of, sha256
from curation.models.kernel import Kernel
from curation.models.pair import Pair
from curation.models.repository import Repository
from curation.models.subject import AboutKernelOrPair


class Fingerprint(AboutKernelOrPair):
    """The MinHash of an item's tokens, and the hash of its syntax with names set aside."""

    scheme = models.CharField(max_length=60, help_text="Tokens, permutations, seed and hash.")
    content_hash = models.CharField(max_length=64)
    syntax_hash = models.CharField(max_length=64, db_index=True)
    token_count = models.PositiveIntegerField()
    signature = models.BinaryField()

    class Meta(AboutKernelOrPair.Meta):
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            sha256("content_hash", "fingerprint_content_hash_valid"),
            models.UniqueConstraint(
                fields=("kernel",), condition=Q(pair=None), name="fingerprint_one_per_kernel"
            ),
            models.UniqueConstraint(
                fields=("pair",), condition=Q(kernel=None), name="fingerprint_one_per_pair"
            ),
        )


class Band(models.Model):
    """One band of a signature. Items that share a band are candidates for being twins."""

    fingerprint = models.ForeignKey(Fingerprint, on_delete=models.CASCADE, related_name="bands")
    number = models.PositiveSmallIntegerField()
    value = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("fingerprint", "number"), name="band_once"),)
        indexes = (models.Index(fields=("value", "number"), name="band_by_value"),)


class Likeness(models.TextChoices):
    EXACT = "exact", "Exact, names set aside"
    NEAR = "near", "Near"


class DuplicateLink(AboutKernelOrPair):
    """An item and the one that stands for it and its like."""

    of_kernel = models.ForeignKey(
        Kernel, null=True, blank=True, on_delete=models.PROTECT, related_name="stands_for"
    )
    of_pair = models.ForeignKey(
        Pair, null=True, blank=True, on_delete=models.PROTECT, related_name="stands_for"
    )
    likeness = models.CharField(max_length=10, choices=Likeness.choices)
    similarity = models.FloatField(help_text="Jaccard similarity, 0 to 1.")
    content_hash = models.CharField(max_length=64, help_text="Of the item when it was compared.")
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
            models.UniqueConstraint(
                fields=("kernel",), condition=Q(pair=None), name="duplicatelink_one_per_kernel"
            ),
            models.UniqueConstraint(
                fields=("pair",), condition=Q(kernel=None), name="duplicatelink_one_per_pair"
            ),
        )


class MatchMethod(models.TextChoices):
    SYNTAX = "syntax", "Same syntax, names set aside"
    NEAR = "near", "Near twin"
    CONTAINED = "contained", "Contained"


class ContaminationMatch(AboutKernelOrPair):
    """A benchmark problem that an item overlaps. Whatever has one is never exported."""

    benchmark = models.ForeignKey(
        Repository, on_delete=models.PROTECT, related_name="contaminations"
    )
    problem = models.CharField(max_length=500)
    path = models.CharField(max_length=1000)
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
