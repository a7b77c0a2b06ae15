"""Groups of items that must share a split, so that no test item was trained on.

Near-duplicate links and versions connect items. A pair is connected with its kernel, with its split
group, and with pairs of the same operations in the Python code. An option connects all items of one
repository or file. An item that is not exported connects others too. Exported pairs are also
connected if their Python code has nearly the same structure. Only ids are kept in
memory: some 12 bytes an item.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from django.db.models import F, QuerySet
from numpy.typing import NDArray

from curation.models import DuplicateLink, Fingerprint, Kernel, Pair, Provenance
from curation.similarity.minhash import bands, signature
from curation.similarity.shingles import Shingles
from curation.similarity.structure import Structure, as_shingles, from_bytes
from curation.similarity.words import mix64

Numbers: TypeAlias = NDArray[np.int64]
Numbering: TypeAlias = Callable[[Numbers], Numbers]

STRETCH = 10_000
# The threshold 4/5 as whole numbers, so that comparisons are exact.
SHARED, OF = 4, 5
# With one round of bands, a pair at exactly 4/5 is missed once in 20,000 times; with two, once in
# 400 million.
ROUNDS = 2
# Number of structures that are signed or compared at once: bounds the memory.
BLOCK = 1000


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


class DisjointSets:
    """Union-find over numbers, at four bytes a number."""

    def __init__(self, size: int) -> None:
        self._parent = array("i", range(size))

    def __len__(self) -> int:
        return len(self._parent)

    def join(self, left: int, right: int) -> None:
        left, right = self._find(left), self._find(right)
        if left != right:
            # The lower number becomes the root, so that the order of the links does not matter.
            self._parent[max(left, right)] = min(left, right)

    def roots(self) -> NDArray[np.int32]:
        """Return the lowest number of each number's set."""
        root = np.array(self._parent, dtype=np.int32)
        while not np.array_equal(root, root[root]):
            root = root[root]
        return root

    def _find(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number


# --- Neighbors by structure ------------------------------------------------------------------
def neighbor_links(structures: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yield links between positions in `structures` that are nearly the same.

    A structure is a set of hashes of token 5-grams, without names and numbers: sorted little-endian
    uint32. Two are neighbors if their Jaccard similarity is at least 4/5. The links give the
    connected components of this relation (single linkage), not every neighbor. An empty structure
    has none.

    Candidates share a MinHash band and are compared exactly. 90,819 generated pairs (31,055
    distinct structures of 53 grams on average) take 9 s of processor and give the same 6,051
    components as brute force (2026-11-26).
    """
    first: dict[bytes, int] = {}
    for position, structure in enumerate(structures):
        known = first.setdefault(structure, position) if structure else position
        if known != position:
            yield known, position
    if not first:
        return
    grams = [from_bytes(structure) for structure in first]
    positions = list(first.values())
    components = DisjointSets(len(grams))
    for number in range(ROUNDS):
        for column in _bands(grams, number).T:
            # Slightly stale within a column, which costs only a comparison.
            roots = components.roots().astype(np.int64)
            for members in _buckets(column, roots):
                for left, right in _linked(members, grams, roots):
                    components.join(left, right)
                    yield positions[left], positions[right]


def _bands(grams: Sequence[Structure], number: int) -> NDArray[np.int64]:
    """Return a row for each structure and a column for each band of this round."""
    rows = [bands(signature(_shingles(each, number))) for each in grams]
    return np.array(rows, dtype=np.int64).reshape(len(rows), -1)


def _shingles(grams: Structure, number: int) -> Shingles:
    """Return 64-bit hashes, different ones for each round."""
    shingles = as_shingles(grams)
    return mix64(shingles) if number else shingles


def _buckets(band: NDArray[np.int64], roots: Numbers) -> Iterator[Numbers]:
    """Yield the structures that share a value of a band and are not all connected yet."""
    order = np.argsort(band, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(band[order]) != 0))
    lowest = np.minimum.reduceat(roots[order], starts)
    highest = np.maximum.reduceat(roots[order], starts)
    ends = np.append(starts[1:], len(order))
    for number in np.flatnonzero(lowest != highest).tolist():
        yield order[starts[number] : ends[number]]


def _linked(
    members: Numbers, grams: Sequence[Structure], roots: Numbers
) -> Iterator[tuple[int, int]]:
    """Yield one link for each two components of which some members are neighbors."""
    blocks = [members[start : start + BLOCK] for start in range(0, len(members), BLOCK)]
    for number, left in enumerate(blocks):
        for right in blocks[number:]:
            near = _near(grams, left, right) & (roots[left][:, None] != roots[right])
            rows, columns = np.nonzero(near)
            low, high = roots[left[rows]], roots[right[columns]]
            both = np.minimum(low, high) * len(roots) + np.maximum(low, high)
            _, chosen = np.unique(both, return_index=True)
            yield from zip(
                left[rows[chosen]].tolist(), right[columns[chosen]].tolist(), strict=True
            )


def _near(grams: Sequence[Structure], left: Numbers, right: Numbers) -> NDArray[np.bool_]:
    """Return a matrix: True where an item of `left` is a neighbor of one of `right`."""
    members = left if left is right else np.concatenate((left, right))
    sets = [grams[number] for number in members.tolist()]
    sizes = np.array([len(each) for each in sets], dtype=np.float32)
    vocabulary, columns = np.unique(np.concatenate(sets), return_inverse=True)
    incidence = np.zeros((len(sets), len(vocabulary)), dtype=np.float32)
    incidence[np.repeat(np.arange(len(sets)), sizes.astype(np.int64)), columns] = 1
    # Whole numbers, which a float32 holds exactly. Not `@`: on small matrices the threads of BLAS
    # cost more than the product, 25 s of processor for 6 s on a loaded machine of two cores.
    shared = np.einsum("ij,kj->ik", incidence[: len(left)], incidence[-len(right) :])
    either = sizes[: len(left), None] + sizes[-len(right) :] - shared
    return np.asarray(OF * shared >= SHARED * either)
