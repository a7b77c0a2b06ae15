"""Extra dataset configuration: generated pairs, with all pairs of a recipe in the same split.

Its test split shows how well a model writes kernels of recipes that it was not trained on. The
records are those of the dataset, but in other splits.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.export.folder import OutputFiles, encode
from curation.export.splits import SPLITS

FOLDER = "held_out_recipes"
DROPPED = f"{FOLDER}/dropped.jsonl"
TRAIN, VALIDATION, TEST = range(len(SPLITS))
# Minimum number of operation types in validation and in test, if there are enough recipes.
SEVERAL = 3


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The split of each recipe in validation or test, and that of each record to be dropped."""

    recipes: Mapping[str, int]
    dropped: Mapping[str, int]

    def split_of(self, recipe: str | None, record_id: str) -> int | None:
        """Return the split of a record, or None if it is not in this configuration."""
        if not recipe or record_id in self.dropped:
            return None
        return self.recipes.get(recipe, TRAIN)

    def write_dropped(self, files: OutputFiles) -> None:
        rows = [{"id": name, "split": SPLITS[of].value} for name, of in self.dropped.items()]
        files.write_text(DROPPED, "".join(f"{encode(row)}\n" for row in rows))

    def as_json(self) -> dict[str, Any]:
        dropped = Counter(self.dropped.values())
        return {
            "recipes": {
                SPLITS[split].value: sorted(r for r, of in self.recipes.items() if of == split)
                for split in (VALIDATION, TEST)
            },
            "dropped": {SPLITS[split].value: dropped[split] for split in (TRAIN, VALIDATION)},
        }


def choose_recipes(
    operations: Mapping[str, Mapping[str, int]], shares: Sequence[int], seed: int
) -> dict[str, int]:
    """Choose the recipes of validation and of test, and return the split of each.

    operations -- for each recipe, the number of records by operation type
    shares -- percentages of the splits
    """
    key = str(seed).encode()
    waiting = sorted(
        operations, key=lambda name: hashlib.blake2b(name.encode(), key=key, digest_size=8).digest()
    )
    sizes = {name: sum(counts.values()) for name, counts in operations.items()}
    chosen: dict[str, int] = {}
    for split in (VALIDATION, TEST):
        room = sum(sizes.values()) * shares[split] / 100
        present: set[str] = set()
        # Train keeps at least half of the recipes.
        for _ in range(len(operations) // 4 if shares[split] else 0):
            name = _next(waiting, operations, sizes, present, room)
            if name is None:
                break
            waiting.remove(name)
            chosen[name] = split
            present |= operations[name].keys()
            room -= sizes[name]
    return chosen


def _next(
    waiting: Sequence[str],
    operations: Mapping[str, Mapping[str, int]],
    sizes: Mapping[str, int],
    present: Collection[str],
    room: float,
) -> str | None:
    """Return the next recipe of a split, or None. A split with few types gets a new type first."""
    few = len(present) < SEVERAL
    adding = [name for name in waiting if few and operations[name].keys() - present]
    fitting = [name for name in adding or waiting if sizes[name] <= room]
    return fitting[0] if fitting else min(adding, key=lambda name: sizes[name], default=None)


def drop_connected(splits: Sequence[int], groups: Sequence[Hashable]) -> list[bool]:
    """Mark records whose group has a record in a later split. No test record is ever marked."""
    last: dict[Hashable, int] = {}
    for split, group in zip(splits, groups, strict=True):
        last[group] = max(split, last.get(group, TRAIN))
    return [last[group] > split for split, group in zip(splits, groups, strict=True)]
