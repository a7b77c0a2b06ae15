"""Base model of rows about one item: either a kernel or a pair."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from curation.models.kernel import Kernel
from curation.models.pair import Pair


class AboutKernelOrPair(models.Model):
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
