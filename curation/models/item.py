"""What kernels and pairs have in common: each is gathered, weighed, reviewed and released."""

from typing import ClassVar, Self, TypeVar

from django.db import models

from curation.models.constraints import one_of
from curation.models.license import License
from curation.models.vocabulary import LicenseVerdict, Status

T = TypeVar("T", bound="Item")


class ItemQuerySet(models.QuerySet[T]):
    def pending(self) -> Self:
        return self.filter(status=Status.PENDING)

    def approved(self) -> Self:
        return self.filter(status=Status.APPROVED)

    def representatives(self) -> Self:
        """One of each cluster of twins; what has no twin stands for itself. What nobody has
        looked at yet is none."""
        return self.filter(fingerprints__placed=True, duplicatelinks=None)

    def uncontaminated(self) -> Self:
        """Held against the benchmarks, and found to overlap none."""
        return self.filter(fingerprints__compared_with__gt="", contaminationmatchs=None)

    def without_sources(self) -> Self:
        """Lists leave the long texts in the database."""
        return self.defer(*self.model.SOURCES)


def indexes(model: str, name: str, *columns: str) -> tuple[models.Index, ...]:
    """What lists and the queue are read by, with all the short columns that narrow them.

    A row and its texts fill several pages of the disk: whether it fits is told by the index alone.
    """
    return (
        models.Index(fields=("id", "status", *columns, name), name=f"{model}_by_age"),
        models.Index(fields=("-priority", "id", "status", *columns), name=f"{model}_by_priority"),
        models.Index(fields=("status", "-priority", "id", *columns), name=f"{model}_queue"),
    )


class Item(models.Model):
    """Identity is content: a changed text is another row, linked by `previous`."""

    SOURCES: ClassVar[tuple[str, ...]]

    tags = models.JSONField(default=list, blank=True)
    tokens = models.PositiveIntegerField(null=True)
    kind_corrected = models.BooleanField(
        default=False,
        editable=False,
        help_text="A person set operation, difficulty or tags: runs leave all three alone.",
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PENDING, editable=False
    )
    version = models.PositiveIntegerField(
        default=1, editable=False, help_text="Grows with every decision; a stale page is told so."
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
        related_name="%(class)ss",
        help_text="The strictest over every file that the item draws from.",
    )
    license_verdict = models.CharField(
        max_length=20, choices=LicenseVerdict.choices, default=LicenseVerdict.UNKNOWN
    )
    previous = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="next_versions"
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
                condition=~models.Q(license_verdict=LicenseVerdict.PERMISSIVE)
                | models.Q(license__isnull=False),
                name="%(class)s_permissive_names_license",
            ),
        )
