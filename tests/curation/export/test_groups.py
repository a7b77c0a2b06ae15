"""Neighbor links connect exactly what brute force connects."""

from collections.abc import Sequence

import numpy as np

from curation.export.groups import DisjointSets, neighbor_links


def packed(grams: set[int]) -> bytes:
    return np.array(sorted(grams), dtype="<u4").tobytes()


def components(size: int, links: Sequence[tuple[int, int]]) -> list[int]:
    sets = DisjointSets(size)
    for left, right in links:
        sets.join(left, right)
    roots: list[int] = sets.roots().tolist()
    return roots


def by_brute_force(sets: Sequence[set[int]]) -> list[int]:
    links = [
        (left, right)
        for left, one in enumerate(sets)
        for right, other in enumerate(sets[:left])
        if one and 5 * len(one & other) >= 4 * len(one | other)
    ]
    return components(len(sets), links)


def test_neighbor_components_equal_those_of_brute_force() -> None:
    draw = np.random.default_rng(5)
    sets: list[set[int]] = []
    for _ in range(60):
        grams = {int(gram) for gram in draw.integers(0, 2**32, draw.integers(1, 80))}
        for _ in range(8):
            # Each variant differs from the last by some grams: chains of neighbors come about.
            sets.append(grams)
            gone = {gram for gram in grams if draw.random() < 0.08}
            grams = (grams - gone) | {int(gram) for gram in draw.integers(0, 2**32, len(gone))}
    order = draw.permutation(len(sets)).tolist()
    shuffled = [sets[number] for number in order]

    found = components(len(sets), list(neighbor_links([packed(grams) for grams in shuffled])))

    assert found == by_brute_force(shuffled)
    assert 60 < len(set(found)) < len(sets)


def test_structures_are_neighbors_from_80_percent_similarity() -> None:
    whole = set(range(1, 11))

    near = list(neighbor_links([packed(whole), packed(whole - {1, 2})]))
    apart = list(neighbor_links([packed(whole), packed(whole - {1, 2} | {11})]))

    assert near == [(0, 1)]
    assert apart == []


def test_equal_structures_are_linked_and_empty_ones_are_not() -> None:
    one = packed({1, 2, 3})

    assert list(neighbor_links([one, b"", one, b""])) == [(0, 2)]
    assert list(neighbor_links([b"", b""])) == []
    assert list(neighbor_links([])) == []
