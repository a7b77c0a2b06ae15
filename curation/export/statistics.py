"""Counts of an export, for the manifest, the card and its charts."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from curation.export.records import PALLAS
from curation.export.selected_items import SelectedItems
from curation.export.splits import SPLITS

NONE = "none"
COUNTED_BY_SPLIT = ("operation_type", "difficulty", "recipe", "repository", "source")


class RecordProfile(NamedTuple):
    """All counted properties of a record: a million records share some thousands of profiles."""

    operation_type: str
    difficulty: str | None
    license: str | None
    origin: str
    category: str | None
    reviewed: bool
    notice: str
    # Pairs only: the device of the admitting validation, and its checks.
    device: str = NONE
    checks: tuple[str, ...] = ()
    recipe: str = ""
    repository: str = ""
    # Kernels only.
    language: str = ""

    @property
    def source(self) -> str:
        """Return the source whose share of validation and test is capped at a fifth."""
        return self.recipe or self.repository or self.origin


@dataclass(slots=True)
class Size:
    """Totals of texts."""

    records: int = 0
    lines: int = 0
    bytes: int = 0
    tokens: int = 0


@dataclass(slots=True)
class Statistics:
    # kind → property → value → count.
    counts: dict[str, dict[str, Counter[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counter))
    )
    tokens: Counter[str] = field(default_factory=Counter)
    # category → totals of its texts.
    sizes: dict[str, Size] = field(default_factory=lambda: defaultdict(Size))
    # Kernels in Pallas.
    pallas: Size = field(default_factory=Size)

    def count(self, kind: str, selected: SelectedItems, profiles: Sequence[RecordProfile]) -> None:
        counts = self.counts[kind]
        for profile, times in occurring(selected, profiles):
            counts["operation_type"][profile.operation_type] += times
            counts["difficulty"][profile.difficulty or NONE] += times
            counts["license"][profile.license or NONE] += times
            counts["origin"][profile.origin] += times
            counts["category"][profile.category or NONE] += times
            counts["reviewed"]["yes" if profile.reviewed else "no"] += times
            if kind == "pair":
                counts["validated on"][profile.device] += times
        for split, times in enumerate(np.bincount(selected.splits).tolist()):
            if times:
                counts["split"][SPLITS[split]] = times
        self.tokens[kind] = sum(selected.tokens)
        self._measure(selected, profiles)

    def _measure(self, selected: SelectedItems, profiles: Sequence[RecordProfile]) -> None:
        numbers = np.asarray(selected.profiles)
        records = np.bincount(numbers).tolist()
        # These sums are exact integers up to 2 to the 53.
        lines, sizes, tokens = (
            np.bincount(numbers, np.asarray(column)).astype(np.int64).tolist()
            for column in (selected.lines, selected.bytes, selected.tokens)
        )
        for number, times in enumerate(records):
            if times:
                profile = profiles[number]
                counted = [self.sizes[profile.category or NONE]]
                if profile.language == PALLAS:
                    counted.append(self.pallas)
                for size in counted:
                    size.records += times
                    size.lines += lines[number]
                    size.bytes += sizes[number]
                    size.tokens += tokens[number]

    def as_json(self, kind: str) -> dict[str, dict[str, int]]:
        return {
            name: dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
            for name, counter in sorted(self.counts[kind].items())
        }


def by_split(
    selected: SelectedItems, profiles: Sequence[RecordProfile]
) -> list[dict[str, Counter[str]]]:
    """Count the records of each split by operation type, difficulty, recipe and repository.

    `source` counts by the sources that are capped. Records without a value are not counted.
    """
    counted: list[dict[str, Counter[str]]] = []
    numbers = np.asarray(selected.profiles)
    for split in range(len(SPLITS)):
        counts: dict[str, Counter[str]] = {name: Counter() for name in COUNTED_BY_SPLIT}
        found, times = np.unique(numbers[selected.splits == split], return_counts=True)
        for number, count in zip(found.tolist(), times.tolist(), strict=True):
            for name, counter in counts.items():
                if value := getattr(profiles[number], name):
                    counter[value] += count
        counted.append(counts)
    return counted


def occurring(
    selected: SelectedItems, profiles: Sequence[RecordProfile]
) -> list[tuple[RecordProfile, int]]:
    """Return the profiles of these records with their counts."""
    numbers, times = np.unique(np.asarray(selected.profiles), return_counts=True)
    return [(profiles[n], count) for n, count in zip(numbers.tolist(), times.tolist(), strict=True)]
