"""Which items belong together, so that a model is not tested on what it was trained on.

A family is whatever is connected by: twins, versions, the variants of a recipe, a pair and the
kernel that it was drafted from and, where asked for, a repository or a file. Items that are left
out connect others too. Only ids are held in memory: some 12 bytes an item.
"""

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from django.db.models import F, QuerySet
from numpy.typing import NDArray

from curation.models import DuplicateLink, Kernel, Pair, Provenance

Numbers: TypeAlias = NDArray[np.int64]
Numbering: TypeAlias = Callable[[Numbers], Numbers]

STRETCH = 10_000


class Families:
    """Every kernel and pair has a number; `root` names the family of each number."""

    def __init__(self, *, repositories: bool, files: bool) -> None:
        self._kernels = _column(Kernel.objects.order_by("pk").values_list("pk", flat=True))
        self._pairs = _column(Pair.objects.order_by("pk").values_list("pk", flat=True))
        self._parent = array("i", range(len(self._kernels) + len(self._pairs)))
        for left, right in self._connected(repositories, files):
            self._join(left, right)
        self.root: NDArray[np.int32] = self._flattened()

    def __len__(self) -> int:
        return len(self._parent)

    def kernel_numbers(self, pks: Numbers) -> Numbers:
        return np.searchsorted(self._kernels, pks)

    def pair_numbers(self, pks: Numbers) -> Numbers:
        return np.searchsorted(self._pairs, pks) + len(self._kernels)

    def _connected(self, repositories: bool, files: bool) -> Iterator[tuple[int, int]]:
        kernels, pairs = self.kernel_numbers, self.pair_numbers
        links = DuplicateLink.objects.order_by()
        of_kernels = links.filter(kernel__isnull=False).values_list("kernel_id", "of_kernel_id")
        yield from _numbered(_edges(of_kernels), kernels, kernels)
        of_pairs = links.filter(pair__isnull=False).values_list("pair_id", "of_pair_id")
        yield from _numbered(_edges(of_pairs), pairs, pairs)
        versions = Kernel.objects.order_by().filter(previous__isnull=False)
        yield from _numbered(_edges(versions.values_list("pk", "previous_id")), kernels, kernels)
        versions_of_pairs = Pair.objects.order_by().filter(previous__isnull=False)
        yield from _numbered(
            _edges(versions_of_pairs.values_list("pk", "previous_id")), pairs, pairs
        )
        drafted = Pair.objects.order_by().filter(kernel__isnull=False)
        yield from _numbered(_edges(drafted.values_list("pk", "kernel_id")), pairs, kernels)
        grouped = Pair.objects.exclude(split_group="").order_by("split_group", "pk")
        yield from _numbered(_neighbours(grouped.values_list("split_group", "pk")), pairs, pairs)
        for whole, column in (
            (repositories, "source_file__repository_id"),
            (files, "source_file_id"),
        ):
            if whole:
                seen = Provenance.objects.order_by(column, "kernel_id")
                rows = seen.annotate(group=F(column)).values_list("group", "kernel_id").distinct()
                yield from _numbered(_neighbours(rows), kernels, kernels)

    def _join(self, left: int, right: int) -> None:
        left, right = self._find(left), self._find(right)
        if left != right:
            # The lower number is the root, so that the order of the edges doesn't matter.
            self._parent[max(left, right)] = min(left, right)

    def _find(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def _flattened(self) -> NDArray[np.int32]:
        root = np.array(self._parent, dtype=np.int32)
        while not np.array_equal(root, root[root]):
            root = root[root]
        return root


def _column(rows: QuerySet[Any, int]) -> Numbers:
    return np.fromiter(rows.iterator(chunk_size=STRETCH), dtype=np.int64)


def _neighbours(rows: QuerySet[Any, Any]) -> Iterator[tuple[int, int]]:
    """Each item with the one before it, where both have the same first column."""
    group: object = None
    before = 0
    for name, pk in rows.iterator(chunk_size=STRETCH):
        if name == group:
            yield before, pk
        group, before = name, pk


def _edges(rows: QuerySet[Any, Any]) -> Iterator[tuple[int, int]]:
    yield from rows.iterator(chunk_size=STRETCH)


def _numbered(
    rows: Iterator[tuple[int, int]], left: Numbering, right: Numbering
) -> Iterator[tuple[int, int]]:
    """The rows' primary keys as numbers, a stretch at a time."""
    while stretch := list(islice(rows, STRETCH)):
        ends = np.asarray(stretch, dtype=np.int64)
        yield from zip(left(ends[:, 0]).tolist(), right(ends[:, 1]).tolist(), strict=True)
