"""Groups of items that must share a split, so that no test item was trained on.

Items are connected by near-duplicate links and versions. Pairs are connected with their kernel,
within their split group, and by equal chains of operations in the Python code. As an option, items
of a repository or a file are connected. Items left out of the export connect others too. Exported
pairs are also connected if their Python code has nearly the same structure. Only ids are kept in
memory: some 12 bytes an item.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from django.db.models import F, QuerySet
from numpy.typing import NDArray

from curation.export.disjoint_sets import DisjointSets
from curation.export.python_neighbors import neighbor_links
from curation.models import DuplicateLink, Fingerprint, Kernel, Pair, Provenance

Numbers: TypeAlias = NDArray[np.int64]
Numbering: TypeAlias = Callable[[Numbers], Numbers]

STRETCH = 10_000
# Earlier versions used the whole recipe as the split group of a generated pair.
WHOLE_RECIPES = "recipe:"


class Families:
    """Group of every kernel and pair: `root` maps each item's number to its group."""

    def __init__(self, exported_pairs: Numbers, *, repositories: bool, files: bool) -> None:
        self._kernels = _column(Kernel.objects.order_by("pk").values_list("pk", flat=True))
        self._pairs = _column(Pair.objects.order_by("pk").values_list("pk", flat=True))
        sets = DisjointSets(len(self._kernels) + len(self._pairs))
        for left, right in self._connected(repositories, files):
            sets.join(left, right)
        # Groups without structure: near-duplicates, versions and chains of operations.
        self.root_by_chain = sets.roots()
        for left, right in self._alike(exported_pairs):
            sets.join(left, right)
        self.root = sets.roots()

    def __len__(self) -> int:
        return len(self.root)

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
        grouped = grouped.exclude(split_group__startswith=WHOLE_RECIPES)
        yield from _numbered(_neighbors(grouped.values_list("split_group", "pk")), pairs, pairs)
        chained = Fingerprint.objects.filter(pair__isnull=False).exclude(chain_hash="")
        chains = chained.order_by("chain_hash", "pair_id").values_list("chain_hash", "pair_id")
        yield from _numbered(_neighbors(chains), pairs, pairs)
        for whole, column in (
            (repositories, "source_file__repository_id"),
            (files, "source_file_id"),
        ):
            if whole:
                seen = Provenance.objects.order_by(column, "kernel_id")
                rows = seen.annotate(group=F(column)).values_list("group", "kernel_id").distinct()
                yield from _numbered(_neighbors(rows), kernels, kernels)

    def _alike(self, exported_pairs: Numbers) -> Iterator[tuple[int, int]]:
        """Connect the exported pairs whose Python code has nearly the same structure."""
        exported = frozenset(exported_pairs.tolist())
        rows = Fingerprint.objects.filter(pair__isnull=False, structure__isnull=False)
        pks: list[int] = []
        structures: list[bytes] = []
        for pk, structure in _edges(rows.order_by("pair_id").values_list("pair_id", "structure")):
            if pk in exported:
                pks.append(pk)
                structures.append(bytes(structure))
        numbers = self.pair_numbers(np.array(pks, dtype=np.int64)).tolist()
        for left, right in neighbor_links(structures):
            yield numbers[left], numbers[right]


def _column(rows: QuerySet[Any, int]) -> Numbers:
    return np.fromiter(rows.iterator(chunk_size=STRETCH), dtype=np.int64)


def _neighbors(rows: QuerySet[Any, Any]) -> Iterator[tuple[int, int]]:
    """Connect each item to the previous one if both have the same first column."""
    group: object = None
    before = 0
    for name, pk in rows.iterator(chunk_size=STRETCH):
        if name == group:
            yield before, pk
        group, before = name, pk


def _edges(rows: QuerySet[Any, Any]) -> Iterator[tuple[Any, Any]]:
    yield from rows.iterator(chunk_size=STRETCH)


def _numbered(
    rows: Iterator[tuple[int, int]], left: Numbering, right: Numbering
) -> Iterator[tuple[int, int]]:
    """Convert primary keys into numbers, 10,000 rows at a time."""
    while stretch := list(islice(rows, STRETCH)):
        ends = np.asarray(stretch, dtype=np.int64)
        yield from zip(left(ends[:, 0]).tolist(), right(ends[:, 1]).tolist(), strict=True)
