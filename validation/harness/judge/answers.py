"""Read a function's answer from a hostile process, as leaves and nesting, and compare it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from math import isfinite
from typing import Any

import numpy as np

from validation.harness.judge.compare import Comparison, Expected, compare
from validation.harness.judge.numbers import Numbers, Unreadable, numbers
from validation.harness.judge.practical import PracticalBound

LEAVES_MOST = 1000
# Relative tolerance for a float in the arguments, which may be read from a half-precision tensor.
READ_FROM_TENSOR = 1e-2


@dataclass(frozen=True, slots=True)
class Value:
    """`form` describes the nesting of the leaves, which are tensors, numbers and other values.
    Inputs that the function writes to are appended to the leaves of the answer."""

    leaves: tuple[Numbers | float | str | bool | None, ...]
    form: str
    gradients: tuple[Numbers | None, ...]
    aliases: tuple[bool, ...]

    def tensors(self) -> list[Numbers]:
        return [leaf for leaf in self.leaves if isinstance(leaf, Numbers)]

    def contents(self) -> list[bytes]:
        """Return the bytes of the answer's tensors, or of its numbers if it has no tensors."""
        tensors = [bytes(leaf.raw) for leaf in self.tensors()]
        return tensors or [
            repr(leaf).encode() for leaf in self.leaves if type(leaf) in (int, float)
        ]


def value(answer: Any, blobs: list[memoryview]) -> Value:
    """Return the answer that a hostile process describes, or raise Unreadable."""
    try:
        leaves: list[Any] = []
        form = _flatten(answer["value"], blobs, leaves)
        if written := answer.get("written"):
            form += f", writes {_flatten(list(written), blobs, leaves)}"
        gradients = tuple(
            None if tree is None else numbers(tree, blobs) for tree in answer["gradients"]
        )
        return Value(tuple(leaves), form, gradients, tuple(map(bool, answer["aliases"])))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise Unreadable(f"an answer that can't be read: {error!r}") from error


def compare_answers(
    answer: Value, native: Value, others: Sequence[Value | None], *, bound: PracticalBound,
    inputs: int, any_for_nan: bool = False, slack: float = 1.0, most: int | None = None,
) -> list[tuple[str, Comparison]]:  # fmt: skip
    """Return the comparison of each output and gradient, with its name.

    native: the reference's answer at the type of the inputs.
    others: the reference's answers in float64, in the order of `Expected`'s fields.
    inputs: number of elements of all inputs.
    most: maximum number of a tensor's elements to compare, chosen at random; None for all.
    """
    if answer.form != native.form:
        return [("output", Comparison(f"{answer.form} instead of {native.form}"))]
    if len(answer.gradients) != len(native.gradients):
        words = f"{len(answer.gradients)} gradients instead of {len(native.gradients)}"
        return [("gradients", Comparison(words))]
    smallest = min((math.prod(leaf.shape) for leaf in native.tensors()), default=1)
    expecting = partial(
        Expected, any_for_nan=any_for_nan, bound=bound, slack=slack,
        reduced=inputs / max(1, smallest),
    )  # fmt: skip
    made = []
    alike = [other if other and other.form == native.form else None for other in others]
    for kind, field in (("output", "leaves"), ("gradient", "gradients")):
        columns = [getattr(value, field) if value else () for value in (answer, native, *alike)]
        for place, (actual, wanted, *more) in enumerate(zip_longest(*columns)):
            name = f"{kind} {place}" if kind == "gradient" or len(native.leaves) > 1 else kind
            if isinstance(actual, Numbers) and isinstance(wanted, Numbers):
                exact = [part if isinstance(part, Numbers) else None for part in more]
                made.append((name, _compare(actual, expecting(wanted, *exact), most)))
            elif kind == "output":
                made.append((name, _plain(actual, wanted)))
            elif wanted is not None:
                made.append((name, Comparison("no gradient where the reference has one")))
    return made


def _compare(actual: Numbers, expected: Expected, most: int | None) -> Comparison:
    native, count = expected.native, math.prod(expected.native.shape)
    if most is None or count <= most or actual.shape != native.shape:
        return compare(actual, expected)
    places = np.random.default_rng().integers(count, size=most)

    def sample(other: Numbers | None) -> Numbers | None:
        return other.sample(places) if other and other.shape == native.shape else None

    sampled = replace(
        expected, native=native.sample(places), precise=sample(expected.precise),
        shaken=sample(expected.shaken), rounded=sample(expected.rounded),
    )  # fmt: skip
    return compare(actual.sample(places), sampled)


def _plain(answer: Any, wanted: Any) -> Comparison:
    if isinstance(answer, float) and isinstance(wanted, float):
        allowed = 1e-5 * max(abs(answer), abs(wanted)) + 1e-7
        near = isfinite(answer) and isfinite(wanted) and abs(answer - wanted) <= allowed
        same = near or (answer != answer and wanted != wanted) or answer == wanted
        return Comparison("" if same else f"{answer} instead of {wanted}")
    return Comparison("" if answer == wanted else f"{answer!r:.80} instead of {wanted!r:.80}")


def state_differs(state: Any, wanted: Any) -> str:
    """Return how non-tensor values in the arguments differ from the reference's after the call, or
    "" if they don't. Tensors that the call added to the arguments are compared by layout only."""
    differing = _different_part(state, wanted, ())
    if differing is None:
        return ""
    (first, *path), words = differing
    name = f"argument {first + 1 if isinstance(first, int) else first} after the call"
    inner = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return f"{name}: {inner.removeprefix('.') or 'it'} {words}"


def _different_part(
    state: Any, wanted: Any, path: tuple[int | str, ...]
) -> tuple[tuple[int | str, ...], str] | None:
    """Return the path to the first part that differs, and a description of the difference."""
    actual, expected = _parts(state), _parts(wanted)
    if actual is None or expected is None:
        if actual is expected and _is_near(state, wanted):
            return None
        return path, f"is {_shown(state)}, not {_shown(wanted)}"
    for key in expected:
        if key not in actual and not isinstance(key, int):
            return (*path, key), "is missing"
    if len(actual) != len(expected):
        return path, f"has {len(actual)} parts, not {len(expected)}"
    each = (_different_part(actual[key], expected[key], (*path, key)) for key in expected)
    return next(filter(None, each), None)


def _parts(tree: Any) -> dict[int | str, Any] | None:
    """Return the items of a container by key or index, or None for a leaf."""
    match tree:
        case list() | {"tuple": list()}:
            return dict(enumerate(tree if isinstance(tree, list) else tree["tuple"]))
        case {"dict": list() as pairs} | {"record": {"fields": {"dict": list() as pairs}}}:
            return {key if isinstance(key, str) else _shown(key): part for key, part in pairs}
    return None


def _is_near(state: Any, wanted: Any) -> bool:
    """Return whether two non-tensor values are equal, floats within READ_FROM_TENSOR."""
    if isinstance(state, float) and isinstance(wanted, float) and state == state:
        return abs(state - wanted) <= READ_FROM_TENSOR * abs(wanted) + 1e-6 or state == wanted
    return bool(state == wanted) or bool(state != state and wanted != wanted)


def _shown(tree: Any) -> str:
    if isinstance(tree, dict) and len(tree) == 1:
        ((kind, inner),) = tree.items()
        return f"a {kind} {inner!r:.60}"
    return f"{tree!r:.60}"


def _flatten(tree: Any, blobs: list[memoryview], leaves: list[Any]) -> str:
    """Append the tree's leaves to `leaves`, and return a description of its nesting."""
    if len(leaves) > LEAVES_MOST:
        raise ValueError("more parts than an answer has")
    if isinstance(tree, dict) and "tensor" in tree:
        leaves.append(numbers(tree, blobs))
        return "tensor"
    if isinstance(tree, dict) and len(tree) == 1 and "tuple" in tree:
        tree = tree["tuple"]
    if isinstance(tree, list):
        return f"({', '.join(_flatten(part, blobs, leaves) for part in tree)})"
    if isinstance(tree, dict) and len(tree) == 1 and isinstance(tree.get("dict"), list):
        inner = sorted((repr(key), part) for key, part in tree["dict"])
        return f"{{{', '.join(f'{k}: {_flatten(part, blobs, leaves)}' for k, part in inner)}}}"
    leaves.append(tree if isinstance(tree, float | int | str | bool | None) else str(tree))
    return type(leaves[-1]).__name__
