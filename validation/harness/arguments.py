"""The inputs of trials, as the process that made them hands them over: trees and their bytes."""

from collections.abc import Iterator
from typing import Any

from validation.harness import plan
from validation.harness.nursery import Answer


def with_gaps(trees: list[Any]) -> list[int]:
    """The arguments that some case shows with gaps between their elements."""
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
    trials: list[plan.Trial], answers: list[Answer]
) -> tuple[list[plan.Trial], dict[int, Any], list[memoryview]]:
    """One list of blobs for all; trials that make_inputs refuses are left out."""
    blobs: list[memoryview] = []
    arguments: dict[int, Any] = {}
    place = 0
    for answer in answers:
        for one in answer.header["made"]:
            if "error" not in one:
                arguments[trials[place].number] = _moved(one["arguments"], len(blobs))
            place += 1
        blobs += answer.blobs
    return [trial for trial in trials if trial.number in arguments], arguments, blobs


def _moved(tree: Any, by: int) -> Any:
    if isinstance(tree, dict):
        if "storage" in tree:
            return {**tree, "storage": tree["storage"] + by}
        return {name: _moved(part, by) for name, part in tree.items()}
    if isinstance(tree, list):
        return [_moved(part, by) for part in tree]
    return tree


def shapes(tree: Any) -> Iterator[list[int]]:
    if isinstance(tree, dict) and "storage" in tree:
        yield tree["shape"]
    elif isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from shapes(part)
