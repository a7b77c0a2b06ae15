"""Base model of kernels and pairs: ingested, classified, reviewed and released items."""

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
        """Return the items that no other item represents.

        An item without near-duplicates represents itself. Items not compared yet are left out.
        """
        return self.filter(fingerprints__placed=True, duplicatelinks=None)

    def uncontaminated(self) -> Self:
        """Return the items compared with every benchmark, with no overlap found."""
        return self.filter(fingerprints__compared_with__gt="", contaminationmatchs=None)

    def without_sources(self) -> Self:
        """Defer the long texts, for lists."""
        return self.defer(*self.model.SOURCES)


def indexes(model: str, name: str, *columns: str) -> tuple[models.Index, ...]:
    """Return the covering indexes of lists and of the queue.

    A row and its texts fill several disk pages, so filters must be decided by the index alone.
    """
    return (
        models.Index(fields=("id", "status", *columns, name), name=f"{model}_by_age"),
        models.Index(fields=("-priority", "id", "status", *columns), name=f"{model}_by_priority"),
        models.Index(fields=("status", "-priority", "id", *columns), name=f"{model}_queue"),
    )


class Item(models.Model):
    """A kernel or a pair.

    Identity is content: a changed text is a new row, linked by `previous`.
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
