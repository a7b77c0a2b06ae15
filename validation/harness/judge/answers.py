"""A function's whole answer, as a tree of JSON from a hostile process: its leaves and its shape."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

from validation.harness.judge.compare import Comparison, Expected, compare
from validation.harness.judge.leeway import Leeway
from validation.harness.judge.numbers import Numbers, Unreadable, numbers

LEAVES_MOST = 1000
NUMBERS = (int, float)


@dataclass(frozen=True, slots=True)
class Value:
    """`form` says how the leaves were nested; a leaf that is no tensor is a plain value. Inputs
    that the function writes to are leaves too, after those of the answer."""

    leaves: tuple[Numbers | float | str | bool | None, ...]
    form: str
    gradients: tuple[Numbers | None, ...]
    aliases: tuple[bool, ...]

    def tensors(self) -> list[Numbers]:
        return [leaf for leaf in self.leaves if isinstance(leaf, Numbers)]

    def contents(self) -> list[bytes]:
        """Return the content of its tensors, or of its numbers if it has no tensors."""
        tensors = [bytes(leaf.raw) for leaf in self.tensors()]
        return tensors or [repr(leaf).encode() for leaf in self.leaves if type(leaf) in NUMBERS]


def value(said: Any, blobs: list[memoryview]) -> Value:
    try:
        leaves: list[Any] = []
        form = _flatten(said["value"], blobs, leaves)
        if written := said.get("written"):
            form += f", writes {_flatten(list(written), blobs, leaves)}"
        gradients = tuple(
            None if tree is None else numbers(tree, blobs) for tree in said["gradients"]
        )
        return Value(tuple(leaves), form, gradients, tuple(map(bool, said["aliases"])))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise Unreadable(f"an answer that can't be read: {error!r}") from error


def compared(
    found: Value,
    native: Value,
    others: Sequence[Value | None],
    *,
    leeway: Leeway,
    inputs: int,
    infinite_inputs: bool = False,
    slack: float = 1.0,
) -> list[tuple[str, Comparison]]:
    """Each output and gradient by name, with how it compares. `others`: the reference's answers at
    other widths, in the order in which `Expected` has them; `inputs`: how many elements all inputs
    have."""
    if found.form != native.form:
        return [("output", Comparison(f"{found.form} instead of {native.form}"))]
    made = []
    several = len(native.leaves) > 1
    smallest = min((math.prod(leaf.shape) for leaf in native.tensors()), default=1)
    expecting = partial(
        Expected, infinite_inputs=infinite_inputs, leeway=leeway, slack=slack,
        reduced=inputs / max(1, smallest),
    )  # fmt: skip
    for place, leaf in enumerate(found.leaves):
        name = f"output {place}" if several else "output"
        first, *more = _alternatives(native, others, place)
        expected = expecting(first, *more) if first else None
        made.append((name, _leaf(leaf, native.leaves[place], expected)))
    if len(found.gradients) != len(native.gradients):
        said = f"{len(found.gradients)} gradients instead of {len(native.gradients)}"
        return [*made, ("gradients", Comparison(said))]
    for place, gradient in enumerate(found.gradients):
        name = f"gradient {place}"
        wanted_gradient = native.gradients[place]
        if wanted_gradient is None:
            continue
        if gradient is None:
            made.append((name, Comparison("no gradient where the reference has one")))
            continue
        more = [
            other.gradients[place] if other and place < len(other.gradients) else None
            for other in others
        ]
        expected = expecting(wanted_gradient, *more)
        made.append((name, compare(gradient, expected)))
    return made


def _leaf(found: Any, native: Any, expected: Expected | None) -> Comparison:
    if isinstance(found, Numbers) and expected is not None:
        return compare(found, expected)
    if isinstance(found, float) and isinstance(native, float):
        allowed = 1e-5 * max(abs(found), abs(native)) + 1e-7
        near = isfinite(found) and isfinite(native) and abs(found - native) <= allowed
        same = near or (found != found and native != native) or found == native
        return Comparison("" if same else f"{found} instead of {native}")
    return Comparison("" if found == native else f"{found!r:.80} instead of {native!r:.80}")


def _alternatives(
    native: Value, others: Sequence[Value | None], place: int
) -> list[Numbers | None]:
    leaves: list[Numbers | None] = []
    for answer in (native, *others):
        same = answer is not None and answer.form == native.form
        leaf = answer.leaves[place] if answer is not None and same else None
        leaves.append(leaf if isinstance(leaf, Numbers) else None)
    return leaves


def _flatten(tree: Any, blobs: list[memoryview], leaves: list[Any]) -> str:
    if len(leaves) > LEAVES_MOST:
        raise ValueError("more parts than an answer has")
    if isinstance(tree, dict) and "tensor" in tree:
        leaves.append(numbers(tree, blobs))
        return "tensor"
    if isinstance(tree, dict) and len(tree) == 1 and "tuple" in tree:
        tree = tree["tuple"]
    if isinstance(tree, list):
        return f"({', '.join(_flatten(part, blobs, leaves) for part in tree)})"
    if isinstance(tree, dict) and len(tree) == 1 and isinstance(tree.get("dict"), dict):
        inner = sorted(tree["dict"].items())
        return f"{{{', '.join(f'{k}: {_flatten(part, blobs, leaves)}' for k, part in inner)}}}"
    leaves.append(tree if isinstance(tree, float | int | str | bool | None) else str(tree))
    return type(leaves[-1]).__name__
