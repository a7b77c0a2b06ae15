"""Inputs of trials as the author's process hands them over: trees, and the bytes of storages."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import add
from typing import Any

from validation.harness import plan
from validation.harness.children import Answer

Json = Any


def with_gaps(trees: list[Json]) -> list[int]:
    """Return the arguments that have gaps between their elements in some case."""
    places = set()
    for tree in trees:
        for place, part in enumerate(tree["tuple"]):
            if isinstance(part, dict) and "storage" in part:
                steps = zip(part["shape"], part["stride"], strict=True)
                span = 1 + sum((length - 1) * step for length, step in steps)
                if span > math.prod(part["shape"]) > 0:
                    places.add(place)
    return sorted(places)


def gathered(
    asked: Sequence[tuple[Sequence[plan.Trial], Answer]],
) -> tuple[list[plan.Trial], dict[int, Json], list[memoryview]]:
    """Return the trials, their arguments by number, and one list of blobs for all.

    Trials that make_inputs refuses, or that are too large, are left out.
    """
    blobs: list[memoryview] = []
    kept: list[plan.Trial] = []
    arguments: dict[int, Json] = {}
    for trials, answer in asked:
        for trial, one in zip(trials, answer.header["made"], strict=True):
            if "arguments" in one:
                kept.append(trial)
                tree = with_storages(one["arguments"], partial(add, len(blobs)))
                _declare_gradients(list(_tensors(tree)))
                arguments[trial.number] = tree
        blobs += answer.blobs
    return kept, arguments, blobs


def _declare_gradients(tensors: list[dict[str, Json]]) -> None:
    """Mark the tensors whose gradients count. Inputs that mark none mean all fractions."""
    if not any(part["gradient"] for part in tensors):
        for part in tensors:
            part["gradient"] = part["dtype"].startswith(("float", "bfloat"))


def batches(
    trials: Sequence[plan.Trial], arguments: dict[int, Json], blobs: Sequence[memoryview], most: int
) -> Iterator[tuple[list[plan.Trial], list[memoryview]]]:
    """Yield the trials in their order, in batches of at most so many bytes, with their blobs.

    Blobs of other trials are empty, so that each blob keeps its place.
    """
    batch: list[plan.Trial] = []
    used: set[int] = set()
    for trial in trials:
        own = set(storages(arguments.get(trial.number)))
        if batch and sum(len(blobs[place]) for place in used | own) > most:
            yield batch, only(blobs, used)
            batch, used = [], set()
        batch.append(trial)
        used = used | own
    if batch:
        yield batch, only(blobs, used)


def only(blobs: Sequence[memoryview], used: set[int]) -> list[memoryview]:
    """Return the blobs with all but the used ones emptied."""
    return [blob if place in used else memoryview(b"") for place, blob in enumerate(blobs)]


def storages(tree: Json) -> list[int]:
    """Return the storages of a tree, each once, in the order of the tree."""
    return list(dict.fromkeys(part["storage"] for part in _tensors(tree)))


def shapes(tree: Json) -> Iterator[list[int]]:
    return (part["shape"] for part in _tensors(tree))


def elements(tree: Json) -> int:
    return sum(map(math.prod, shapes(tree)))


def with_storages(tree: Json, number: Callable[[int], int]) -> Json:
    """Return a copy of the tree with other numbers for its storages."""
    if isinstance(tree, list):
        return [with_storages(part, number) for part in tree]
    if not isinstance(tree, dict):
        return tree
    if "storage" in tree:
        return {**tree, "storage": number(tree["storage"])}
    return {name: with_storages(part, number) for name, part in tree.items()}


def _tensors(tree: Json) -> Iterator[dict[str, Json]]:
    """Yield the parts of a tree that stand for tensors."""
    if isinstance(tree, dict) and "storage" in tree:
        yield tree
    elif isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _tensors(part)
