"""Which family goes into which split. Pure: counts and keys in, splits out.

A family whose split is known keeps it: that is what lets a dataset grow without moving a record.
The others come largest first, in an order that only the seed and their content decide, each into
the split that is, for its size, furthest from full among those that have room for all of it.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curation.models import Split

SPLITS = (Split.TRAIN, Split.VALIDATION, Split.TEST)
FREE = -1
# A million families are many Python objects; these are few.
STRETCH = 10_000
NOTHING = -float("inf")

Splits = NDArray[np.int8]


def assign(
    sizes: NDArray[np.signedinteger[Any]],
    keys: NDArray[np.uint64],
    known: Splits,
    shares: Sequence[int],
) -> Splits:
    """The split of each family.

    `sizes` has a row for each family and a column for each kind of record, `keys` orders families
    of one size, `known` is the split that a family has already, or FREE.
    """
    result = known.copy()
    targets = np.outer(np.asarray(shares) / 100, sizes.sum(axis=0))
    room = targets.copy()
    for split in range(len(shares)):
        room[split] -= sizes[known == split].sum(axis=0)
    totals = sizes.sum(axis=1)
    free = np.flatnonzero((known == FREE) & (totals > 0))
    order = free[np.lexsort((keys[free], -totals[free]))]
    rooms: list[list[float]] = room.tolist()
    wanted: list[list[float]] = targets.tolist()
    for start in range(0, len(order), STRETCH):
        stretch = order[start : start + STRETCH]
        for family, counts in zip(stretch.tolist(), sizes[stretch].tolist(), strict=True):
            present = [(kind, count) for kind, count in enumerate(counts) if count]
            split = _best(present, rooms, wanted)
            result[family] = split
            for kind, count in present:
                rooms[split][kind] -= count
    return result


def _best(
    present: list[tuple[int, int]], rooms: list[list[float]], targets: list[list[float]]
) -> int:
    """For so many of each kind of record."""
    best, best_room, best_fits = 0, NOTHING, False
    for split, target in enumerate(targets):
        room, fits, free = 0.0, True, rooms[split]
        for kind, count in present:
            left, whole = free[kind], target[kind]
            fits = fits and left >= count - 1e-6
            room += count * (left / whole if whole else NOTHING)
        if not fits:
            room = sum(free[kind] for kind, _ in present) if any(target) else NOTHING
        if (fits, room) > (best_fits, best_room):
            best, best_room, best_fits = split, room, fits
    return best


def keyed(seed: int, identity: int) -> int:
    """A number that only the seed and the content decide."""
    digest = hashlib.blake2b(identity.to_bytes(8, "big"), key=str(seed).encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def settle(known: Sequence[int]) -> int:
    """The split of a family whose members were in several before they met: that of the most."""
    counts = np.bincount(np.asarray(known), minlength=len(SPLITS))
    return int(counts.argmax())
