"""Structures connect exactly what brute force connects."""

from collections.abc import Sequence

import numpy as np

from curation.export.groups import Groups, Node, connect_near
from tests.curation.export.test_splits import packed


def components(size: int, groups: Groups) -> list[int]:
    """Return the lowest number of each number's group."""
    lowest: dict[Node, int] = {}
    return [lowest.setdefault(groups.find(("set", number)), number) for number in range(size)]


def near(sets: Sequence[bytes]) -> list[int]:
    groups = Groups()
    connect_near(groups, {("set", number): grams for number, grams in enumerate(sets)})
    return components(len(sets), groups)


def by_brute_force(sets: Sequence[set[int]]) -> list[int]:
    groups = Groups()
    for left, one in enumerate(sets):
        for right, other in enumerate(sets[:left]):
            if one and 5 * len(one & other) >= 4 * len(one | other):
                groups.join(("set", left), ("set", right))
    return components(len(sets), groups)


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

    found = near([packed(grams) for grams in shuffled])

    assert found == by_brute_force(shuffled)
    assert 60 < len(set(found)) < len(sets)


def test_structures_are_neighbors_from_80_percent_similarity() -> None:
    whole = set(range(1, 11))

    assert near([packed(whole), packed(whole - {1, 2})]) == [0, 0]
    assert near([packed(whole), packed(whole - {1, 2} | {11})]) == [0, 1]


def test_equal_structures_are_linked_and_empty_ones_are_not() -> None:
    one = packed({1, 2, 3})

    assert near([one, b"", one, b""]) == [0, 1, 0, 3]
    assert near([]) == []
