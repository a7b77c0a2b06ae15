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
# What rounding may take from a room that is exactly full.
SLACK = 1e-6

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
    totals, kinds = sizes.sum(axis=1, dtype=np.int32), range(sizes.shape[1])
    free = np.flatnonzero((known == FREE) & (totals > 0))
    order = free[np.lexsort((keys[free], -totals[free]))]
    rooms: list[list[float]] = room.tolist()
    wanted: list[list[float]] = targets.tolist()
    for members in np.split(order, np.flatnonzero(np.diff(totals[order])) + 1):
        of_one_kind = [members[sizes[members, kind] == totals[members]] for kind in kinds]
        # What is of one kind takes no other's room; where one is of two, each has its turn.
        if sum(map(len, of_one_kind)) < len(members):
            of_one_kind = []
            _one_by_one(members, sizes, result, rooms, wanted)
        for kind, alike in enumerate(of_one_kind):
            if len(alike):
                rest = _alike(alike, kind, int(totals[alike[0]]), result, rooms, wanted)
                _one_by_one(rest, sizes, result, rooms, wanted)
    return result


def _alike(
    members: NDArray[np.int64],
    kind: int,
    count: int,
    result: Splits,
    rooms: list[list[float]],
    targets: list[list[float]],
) -> NDArray[np.int64]:
    """What `_one_by_one` does with families of so many of one kind, as long as any split has room
    for one more; returns those that are left then. A split's room falls by the same with each, so
    that the order in which the splits have their turns can be sorted out for all at once."""
    emptiness, turns = np.empty(0), np.empty(0, dtype=np.int8)
    for split, free in enumerate(rooms):
        before = free[kind] - count * np.arange(min(len(members), int(max(free[kind], 0)) + 1))
        before = before[before >= count - SLACK]
        before /= targets[split][kind]
        # The emptiest has its turn first, in an order that rises.
        before *= -count
        emptiness = np.append(emptiness, before)
        turns = np.append(turns, np.full(len(before), split, dtype=np.int8))
    splits = turns[np.argsort(emptiness, kind="stable")[: len(members)]]
    result[members[: len(splits)]] = splits
    for split, times in enumerate(np.bincount(splits, minlength=len(rooms)).tolist()):
        rooms[split][kind] -= count * times
    return members[len(splits) :]


def _one_by_one(
    members: NDArray[np.int64],
    sizes: NDArray[np.signedinteger[Any]],
    result: Splits,
    rooms: list[list[float]],
    targets: list[list[float]],
) -> None:
    for start in range(0, len(members), STRETCH):
        stretch = members[start : start + STRETCH]
        for family, counts in zip(stretch.tolist(), sizes[stretch].tolist(), strict=True):
            present = [(kind, count) for kind, count in enumerate(counts) if count]
            split = _best(present, rooms, targets)
            result[family] = split
            for kind, count in present:
                rooms[split][kind] -= count


def _best(
    present: list[tuple[int, int]], rooms: list[list[float]], targets: list[list[float]]
) -> int:
    """For so many of each kind of record."""
    best, best_room, best_fits = 0, NOTHING, False
    for split, target in enumerate(targets):
        room, fits, free = 0.0, True, rooms[split]
        for kind, count in present:
            left, whole = free[kind], target[kind]
            fits = fits and left >= count - SLACK
            room += count * (left / whole if whole else NOTHING)
        if not fits:
            room = sum(free[kind] for kind, _ in present) if any(target) else NOTHING
        if (fits, room) > (best_fits, best_room):
            best, best_room, best_fits = split, room, fits
    return best


def keyed(seed: int, identities: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """For each a number that only the seed and the content decide."""
    keyed = hashlib.blake2b(key=str(seed).encode(), digest_size=8)
    data, digests = identities.astype(">u8").tobytes(), bytearray()
    for start in range(0, len(data), 8):
        one = keyed.copy()
        one.update(data[start : start + 8])
        digests += one.digest()
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


def settle(known: Sequence[int]) -> int:
    """The split of a family whose members were in several before they met: that of the most."""
    counts = np.bincount(np.asarray(known), minlength=len(SPLITS))
    return int(counts.argmax())
