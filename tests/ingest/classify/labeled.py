"""Agreement of the rules with kernels and pairs that were labeled by reading.

`labels.json` holds one row an item: its half (`tuned`: the rules were fitted to it, `held-out`:
they were not), where its text is, the operation type, the difficulty, and the reason.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from curation.kinds.difficulty import pair_difficulty
from curation.kinds.reading import read_kernels
from ingest.classify import classify
from ingest.classify.classification import classification
from ingest.classify.pairs import pair_operation
from validation.pairs.handwritten import LIBRARY
from validation.pairs.recipes.catalog import RECIPES
from validation.pairs.recipes.rendering import rendered
from validation.pairs.recipes.styles import STYLES

LABELS = Path(__file__).with_name("labels.json")
Kind = tuple[str, str]
"""Operation type and difficulty."""


@dataclass(frozen=True, slots=True)
class Item:
    half: str
    source: str
    path: str
    name: str
    operation_type: str
    difficulty: str
    reason: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of the items that are on this machine the rules see as the reader did."""

    items: int
    operations: int
    difficulties: int
    disagreements: tuple[str, ...]


def items() -> list[Item]:
    return [Item(**row) for row in json.loads(LABELS.read_text("utf-8"))]


def agreement(chosen: Sequence[Item], folders: Mapping[str, Path]) -> Agreement:
    """`folders`: where a repository is, by its name. Items whose text is not here don't count."""
    said = [(item, kind()) for item in chosen if (kind := rules_for(item, folders)) is not None]
    return Agreement(
        len(said),
        sum(operation == item.operation_type for item, (operation, _) in said),
        sum(difficulty == item.difficulty for item, (_, difficulty) in said),
        tuple(_disagreements(said)),
    )


def rules_for(item: Item, folders: Mapping[str, Path]) -> Callable[[], Kind] | None:
    """Return a function that asks the rules, or None if the item's text is not on this machine."""
    if item.source == "library":
        folder = LIBRARY / item.path
        texts = [(folder / f"{side}_code.py").read_text("utf-8") for side in ("python", "triton")]
        return partial(_pair, item.name, *texts)
    if item.source == "recipes":
        return partial(_pair, item.name, *_recipe(item))
    file = _file(item, folders)
    if file is None or not file.is_file():
        return None
    return partial(_kernel, item, file.read_text("utf-8"))


def _kernel(item: Item, text: str) -> Kind:
    kind = classify(item.name, text, Path(item.path).stem)
    return kind.operation_type, kind.difficulty


def _pair(entry_point: str, python_code: str, triton_code: str) -> Kind:
    kernels = [classification(kernel).operation_type for kernel in read_kernels(triton_code)]
    operation = pair_operation(entry_point, python_code, kernels)
    differentiable = "torch.autograd.Function" in triton_code
    return operation, pair_difficulty(triton_code, operation, differentiable)


def _recipe(item: Item) -> tuple[str, str]:
    """The two sides of the recipe's first combination that has this entry point."""
    recipe = next(recipe for recipe in RECIPES if recipe.name == item.path)
    sketches = (recipe.sketch(number) for number in range(recipe.combinations))
    sketch = next(s for s in sketches if s is not None and s.entry_point == item.name)
    texts = rendered(sketch, STYLES[0])
    return texts.python_code, texts.triton_code


def _file(item: Item, folders: Mapping[str, Path]) -> Path | None:
    if item.source.startswith("github:"):
        repository = item.source.partition("@")[0].rpartition("/")[2]
        return folders[repository] / item.path if repository in folders else None
    try:
        distribution = importlib.metadata.distribution(item.source.split()[0])
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(distribution.locate_file(item.path)))


def _disagreements(said: Sequence[tuple[Item, Kind]]) -> Iterator[str]:
    for item, (operation, difficulty) in said:
        for ours, theirs in ((operation, item.operation_type), (difficulty, item.difficulty)):
            if ours != theirs:
                yield f"{item.path}:{item.name} is {ours} by the rules, {theirs} by reading"
