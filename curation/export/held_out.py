"""An extra configuration of the generated pairs: validation and test hold whole recipes.

It asks another question than the splits of the dataset do: how well a model writes kernels of
recipes that it was not trained on. The records are the same, and the splits differ.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from curation.export.lines import LineFile, encode
from curation.export.splits import SPLITS

FOLDER = "held_out_recipes"
DROPPED = f"{FOLDER}/dropped.jsonl"
TRAIN, VALIDATION, TEST = range(len(SPLITS))
# Each held-out split has so many operation types, if there are enough recipes.
SEVERAL = 3


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The recipes of validation and of test, and the records that were dropped, by their split."""

    recipes: Mapping[str, int]
    dropped: Mapping[str, int]

    def split_of(self, recipe: str | None, record_id: str) -> int | None:
        """Return the split of a record, or None if it is not in this configuration."""
        if not recipe or record_id in self.dropped:
            return None
        return self.recipes.get(recipe, TRAIN)

    def write_dropped(self, folder: Path) -> LineFile:
        with LineFile(folder / DROPPED) as file:
            lines = [
                encode({"id": name, "split": SPLITS[split].value})
                for name, split in self.dropped.items()
            ]
            file.write(lines)
        return file

    def as_json(self) -> dict[str, Any]:
        dropped = Counter(self.dropped.values())
        return {
            "recipes": {
                SPLITS[split].value: sorted(r for r, of in self.recipes.items() if of == split)
                for split in (VALIDATION, TEST)
            },
            "dropped": {SPLITS[split].value: dropped[split] for split in (TRAIN, VALIDATION)},
        }

    @classmethod
    def from_release(cls, manifest: Mapping[str, Any], folder: Path) -> Self:
        """Read what `as_json` and `write_dropped` made."""
        numbers = {split.value: number for number, split in enumerate(SPLITS)}
        recipes = {
            recipe: numbers[split]
            for split, names in manifest["held_out_recipes"]["recipes"].items()
            for recipe in names
        }
        with (folder / DROPPED).open() as lines:
            dropped = {line["id"]: numbers[line["split"]] for line in map(json.loads, lines)}
        return cls(recipes, dropped)


def choose_recipes(
    operations: Mapping[str, Mapping[str, int]], shares: Sequence[int], seed: int
) -> dict[str, int]:
    """Return the recipes of validation and of test with their split.

    operations -- how many records of each operation type a recipe has
    shares -- percentages of the splits
    """
    waiting = sorted(operations, key=lambda name: _key(seed, name))
    sizes = {name: sum(counts.values()) for name, counts in operations.items()}
    chosen: dict[str, int] = {}
    for split in (VALIDATION, TEST):
        room = sum(sizes.values()) * shares[split] / 100
        present: set[str] = set()
        # Train keeps half of the recipes at least.
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
    """Return the first recipe with room; while operation types are few, one that adds another."""
    few = len(present) < SEVERAL
    adding = [name for name in waiting if few and operations[name].keys() - present]
    fitting = [name for name in adding or waiting if sizes[name] <= room]
    return fitting[0] if fitting else min(adding, key=lambda name: sizes[name], default=None)


def drop_connected(splits: Sequence[int], groups: Sequence[int]) -> list[bool]:
    """Return which records share a group with one of a later split: test keeps all of its own."""
    last: dict[int, int] = {}
    for split, group in zip(splits, groups, strict=True):
        last[group] = max(split, last.get(group, TRAIN))
    return [last[group] > split for split, group in zip(splits, groups, strict=True)]


def count_operations(records: Iterable[tuple[str, str, int]]) -> dict[str, Counter[str]]:
    """Count recipe, operation type and number of records."""
    counts: dict[str, Counter[str]] = {}
    for recipe, operation, number in records:
        counts.setdefault(recipe, Counter())[operation] += number
    return counts


def _key(seed: int, name: str) -> bytes:
    return hashlib.blake2b(name.encode(), key=str(seed).encode(), digest_size=8).digest()
