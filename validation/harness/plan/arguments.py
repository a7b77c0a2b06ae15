"""Inputs of trials: a JSON tree for each trial, and the bytes of the tensors' storages."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from validation.harness.plan.trial_plan import Trial

NONE = memoryview(b"")


@dataclass(frozen=True, slots=True)
class Inputs:
    """`arguments` has the tree of each trial, by trial number. Trees refer to storages by their
    index in `blobs`."""

    trials: list[Trial]
    arguments: dict[int, Any]
    blobs: list[memoryview]

    @classmethod
    def of(cls, trials: Sequence[Trial], made: Sequence[Any], blobs: list[memoryview]) -> "Inputs":
        """Collect the inputs, without trials that make_inputs refused or that are too large."""
        pairs = [
            (trial, part["arguments"])
            for trial, part in zip(trials, made, strict=True)
            if "arguments" in part
        ]
        arguments = {trial.number: tree for trial, tree in pairs}
        for tree in arguments.values():
            declare_gradients(list(tensors(tree)))
        return cls([trial for trial, _ in pairs], arguments, blobs)

    @classmethod
    def together(cls, parts: Iterable["Inputs"]) -> "Inputs":
        whole = cls([], {}, [])
        for part in parts:
            place = len(whole.blobs)

            def moved(tensor: dict[str, Any], by: int = place) -> dict[str, Any]:
                return {**tensor, "storage": tensor["storage"] + by}

            for number, tree in part.arguments.items():
                whole.arguments[number] = mapped(tree, moved, lambda value: value)
            whole.trials.extend(part.trials)
            whole.blobs.extend(part.blobs)
        return whole

    def of_trials(self, trials: list[Trial]) -> "Inputs":
        return Inputs(trials, self.arguments, self.blobs)

    def request(self, trial: Trial) -> dict[str, Any]:
        """Return the description of the trial's inputs for a request to a child."""
        tree, expanded = self.arguments[trial.number], trial.expands_gradients
        return {"trial": trial.number, "arguments": tree, "expanded": expanded}

    def elements(self, number: int) -> int:
        return sum(map(math.prod, shapes(self.arguments[number])))

    def half_type(self, number: int) -> str:
        """Return the least precise half-precision type among the inputs, or "" without any."""
        types = {part["dtype"] for part in tensors(self.arguments[number])}
        return next((half for half in ("bfloat16", "float16") if half in types), "")

    def content(self, number: int) -> list[bytes]:
        return [bytes(self.blobs[place]) for place in storages(self.arguments.get(number))]

    def batches(self, most: int) -> Iterator["Inputs"]:
        """Yield the trials in batches of at most `most` bytes, in their order."""
        batch: list[Trial] = []
        used: set[int] = set()
        for trial in self.trials:
            own = set(storages(self.arguments[trial.number]))
            if batch and sum(len(self.blobs[place]) for place in used | own) > most:
                yield self.alone(batch)
                batch, used = [], set()
            batch.append(trial)
            used |= own
        if batch:
            yield self.alone(batch)

    def alone(self, trials: list[Trial]) -> "Inputs":
        """Return the inputs of these trials, with other trials' blobs replaced by empty ones."""
        used = {place for trial in trials for place in storages(self.arguments[trial.number])}
        blobs = [blob if place in used else NONE for place, blob in enumerate(self.blobs)]
        return Inputs(trials, self.arguments, blobs)


def declare_gradients(each: list[dict[str, Any]]) -> None:
    """Mark all float tensors for gradient comparison, unless a tensor is marked already."""
    if not any(part["gradient"] for part in each):
        for part in each:
            part["gradient"] = part["dtype"].startswith(("float", "bfloat"))


def with_gaps(trees: Iterable[Any]) -> list[int]:
    """Return the positions of arguments that have gaps between their elements in some tree."""
    return sorted({
        place
        for tree in trees
        for place, part in enumerate(parts(tree))
        if isinstance(part, dict) and "storage" in part and _has_gaps(part)
    })  # fmt: skip


def _has_gaps(tensor: dict[str, Any]) -> bool:
    steps = zip(tensor["shape"], tensor["stride"], strict=True)
    span = 1 + sum((length - 1) * step for length, step in steps)
    return bool(span > math.prod(tensor["shape"]) > 0)


def parts(tree: Any) -> list[Any]:
    """Return the trees of a call's arguments, in order."""
    return list(tree["tuple"]) if "tuple" in tree else [part for _, part in tree["dict"]]


def storages(tree: Any) -> list[int]:
    """Return the index of each storage once, in order of first use."""
    return list(dict.fromkeys(part["storage"] for part in tensors(tree)))


def shapes(tree: Any) -> Iterator[list[int]]:
    return (part["shape"] for part in tensors(tree))


def tensors(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield the descriptions of tensors in a tree."""
    if isinstance(tree, dict) and "storage" in tree:
        yield tree
    elif isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from tensors(part)


def mapped(tree: Any, tensor: Callable[[dict[str, Any]], Any], plain: Callable[[Any], Any]) -> Any:
    """Return the tree with `tensor` applied to each tensor, and `plain` to each other value."""
    if isinstance(tree, dict) and "storage" in tree:
        return tensor(tree)
    if isinstance(tree, dict):
        return {name: mapped(part, tensor, plain) for name, part in tree.items()}
    return [mapped(one, tensor, plain) for one in tree] if isinstance(tree, list) else plain(tree)
