"""The inputs of trials, as the process that made them hands them over: trees and their bytes."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from validation.harness import plan
from validation.harness.children import Answer

NONE = memoryview(b"")


def with_gaps(trees: list[Any]) -> list[int]:
    """Return the arguments that some case shows with gaps between their elements."""
    found = set()
    for tree in trees:
        for place, part in enumerate(tree["tuple"]):
            if isinstance(part, dict) and "storage" in part:
                size = 1
                for length in part["shape"]:
                    size *= length
                span = 1 + sum(
                    (length - 1) * step
                    for length, step in zip(part["shape"], part["stride"], strict=True)
                )
                if span > size > 0:
                    found.add(place)
    return sorted(found)


def gathered(
    asked: Sequence[tuple[Sequence[plan.Trial], Answer]],
) -> tuple[list[plan.Trial], dict[int, Any], list[memoryview]]:
    """Return the trials with one list of blobs for all. Trials that make_inputs refuses, or that
    are too large, are left out."""
    blobs: list[memoryview] = []
    kept: list[plan.Trial] = []
    arguments: dict[int, Any] = {}
    for trials, answer in asked:
        for trial, one in zip(trials, answer.header["made"], strict=True):
            if "arguments" in one:
                kept.append(trial)
                arguments[trial.number] = _moved(one["arguments"], len(blobs))
                _declare_gradients(list(_parts(arguments[trial.number])))
        blobs += answer.blobs
    return kept, arguments, blobs


def _declare_gradients(tensors: list[dict[str, Any]]) -> None:
    """Mark the tensors whose gradients count. Inputs that mark none mean all fractions."""
    if not any(part["gradient"] for part in tensors):
        for part in tensors:
            part["gradient"] = part["dtype"].startswith(("float", "bfloat"))


def batches(
    trials: Sequence[plan.Trial], arguments: dict[int, Any], blobs: Sequence[memoryview], most: int
) -> Iterator[tuple[list[plan.Trial], list[memoryview]]]:
    """The trials in their order, as many at once as have few enough bytes, with their blobs: what
    belongs to others is empty, so that each keeps its place."""
    batch: list[plan.Trial] = []
    used: set[int] = set()
    for trial in trials:
        more = used | set(storages(arguments.get(trial.number)))
        if batch and sum(len(blobs[place]) for place in more) > most:
            yield batch, _only(blobs, used)
            batch, more = [], set(storages(arguments.get(trial.number)))
        batch.append(trial)
        used = more
    if batch:
        yield batch, _only(blobs, used)


def _only(blobs: Sequence[memoryview], used: set[int]) -> list[memoryview]:
    return [blob if place in used else NONE for place, blob in enumerate(blobs)]


def storages(tree: Any) -> list[int]:
    """Each once, in the order in which the tree names them."""
    return list(dict.fromkeys(part["storage"] for part in _parts(tree)))


def _moved(tree: Any, by: int) -> Any:
    if isinstance(tree, dict):
        if "storage" in tree:
            return {**tree, "storage": tree["storage"] + by}
        return {name: _moved(part, by) for name, part in tree.items()}
    if isinstance(tree, list):
        return [_moved(part, by) for part in tree]
    return tree


def shapes(tree: Any) -> Iterator[list[int]]:
    return (part["shape"] for part in _parts(tree))


def elements(tree: Any) -> int:
    return sum(map(math.prod, shapes(tree)))


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a tree that stand for tensors."""
    if isinstance(tree, dict) and "storage" in tree:
        yield tree
    elif isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _parts(part)
