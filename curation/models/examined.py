"""What was found of an item among all others: whom it resembles, and what it overlaps.

What nobody has looked at yet is neither a representative nor uncontaminated.
"""

from typing import Self, TypeVar

from django.db import models

Item = TypeVar("Item", bound=models.Model)


class ExaminedQuerySet(models.QuerySet[Item]):
    def representatives(self) -> Self:
        """One of each cluster of twins; what has no twin stands for itself."""
        return self.filter(fingerprints__placed=True, duplicatelinks=None)

    def uncontaminated(self) -> Self:
        """Held against the benchmarks, and found to overlap none."""
        return self.filter(fingerprints__compared_with__gt="", contaminationmatchs=None)
