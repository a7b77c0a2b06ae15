"""Links between pairs whose Python code has nearly the same structure.

A structure is a set of hashes of token 5-grams, without names and numbers. Two pairs are neighbors
if the Jaccard similarity of their structures is at least 4/5. The returned links give the connected
components of this relation (single linkage), not every neighbor.

Candidates share a MinHash band and are compared exactly. 90,819 generated pairs (31,055 distinct
structures of 53 grams on average) take 9 s of processor and give the same 6,051 components as brute
force (2026-11-26).
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from curation.export.disjoint_sets import DisjointSets
from curation.similarity.minhash import bands, signatures
from curation.similarity.shingles import Shingles
from curation.similarity.structure import Structure, as_shingles, from_bytes
from curation.similarity.words import mix64

# The threshold 4/5 as whole numbers, so that comparisons are exact.
SHARED, OF = 4, 5
# With one round of bands, a pair at exactly 4/5 is missed once in 20,000 times; with two, once in
# 400 million.
ROUNDS = 2
# Number of structures that are signed or compared at once: bounds the memory.
BLOCK = 1000

Numbers = NDArray[np.int64]


def neighbor_links(structures: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yield links between positions in `structures`, each a sorted set of little-endian uint32.

    An empty structure has no neighbors.
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
    rows = [
        bands(signature)
        for start in range(0, len(grams), BLOCK)
        for signature in signatures([_shingles(s, number) for s in grams[start : start + BLOCK]])
    ]
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
