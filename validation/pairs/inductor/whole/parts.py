"""Parts of models, each with the data for a pair's texts. This runs in the sandbox.

Repeated layers produce equal parts. Each distinct part is returned once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.fx import Graph, Node

from validation.pairs.inductor import Unwritable
from validation.pairs.inductor.whole.graph import Group, graph_of, groups, name_of, value_of
from validation.pairs.inductor.whole.making import Made, Make, modules
from validation.pairs.inductor.whole.spelling import Text, spelled

Answer = TypeVar("Answer")
Shape = tuple[str | int, ...]
Place = tuple[int, int]
"""Number of an input, and number of an axis in the input."""

MOST_INPUTS = 8
MOST_LINES = 40
SIZE_NAMES = ("m", "n", "k", "p", "q", "r", "s", "t")
NOT_BELOW_ZERO = frozenset({"log", "log2", "reciprocal", "rsqrt", "sqrt"})
# Operations whose result is an index if their input is an index.
OF_AN_INDEX = frozenset({
    "expand", "reshape", "select", "slice", "transpose", "unsqueeze", "view",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Draw:
    """Distribution of an input's random values, named as in the test's template."""

    how: str
    dtype: str = ""
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    module: str
    operations: tuple[str, ...]
    parameters: tuple[str, ...]
    lines: tuple[str, ...]
    outputs: int
    shapes: tuple[Shape, ...]
    """For each axis of each input, a number if the size is fixed, or a name if it may vary."""
    draws: tuple[Draw, ...]

    @property
    def free(self) -> int:
        """Number of names of sizes that may vary."""
        return len({size for shape in self.shapes for size in shape if isinstance(size, str)})


def split(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"models": [[name, result of `parts`], …]}, or {"reason": …} if the request fails."""
    # This initialization reads weights in order to redraw some of them.
    no_redrawing = patch.object(
        torch.nn.init, "_no_grad_trunc_normal_", lambda tensor, *_, **__: tensor
    )
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), no_redrawing:
            return {"models": [[name, _parts_of(make)] for name, make in modules(request)]}
    except Exception as error:  # noqa: BLE001 - whatever somebody's file may raise
        return {"reason": _said(error)}


def _parts_of(make: Make) -> dict[str, Any]:
    try:
        module, inputs = _made(make)
        return parts(graph_of(module.eval(), inputs).graph)
    except Exception as error:  # noqa: BLE001 - whatever a model may raise
        return {"reason": _said(error)}


def _made(make: Make) -> Made:
    """Construct a module with fake tensors, or with real tensors if its constructor reads values,
    such as drop rates."""
    try:
        return make()
    except DataDependentOutputException:
        with unset_fake_temporarily():
            return make()


def _said(error: Exception) -> str:
    match error:
        case Unwritable():
            return str(error)
        case DataDependentOutputException():
            return "what it computes depends on its values"
        case ModuleNotFoundError():
            return f"it imports {error.name}, which is not installed"
        case _:
            words = str(error).strip().splitlines()
            return f"it raises {type(error).__name__}" + (f": {words[0][:200]}" if words else "")


def parts(graph: Graph) -> dict[str, Any]:
    """Return the distinct parts as `made`, the number of `groups`, and as `reasons` why other
    groups have no part."""
    results: dict[Any, Part | str] = {}
    reasons: Counter[str] = Counter()
    all_groups = list(groups(graph))
    for group in all_groups:
        text = _or_reason(spelled, group)
        key = (text, *(str(value_of(node)) for node in group.inputs))
        if key not in results:
            results[key] = text if isinstance(text, str) else _or_reason(_part, group, text)
        if isinstance(result := results[key], str):
            reasons[result] += 1
    distinct: dict[Any, Part] = {}
    for part in results.values():
        if isinstance(part, Part):
            same = part.lines, tuple(map(len, part.shapes))
            # If parts differ only in which sizes are equal, keep the one with the most free sizes.
            distinct[same] = max(part, distinct.get(same, part), key=lambda other: other.free)
    return {
        "made": [asdict(part) for part in distinct.values()],
        "groups": len(all_groups),
        "reasons": dict(reasons),
    }


def _or_reason(function: Callable[..., Answer], *arguments: Any) -> Answer | str:
    try:
        return function(*arguments)
    except Unwritable as why:
        return str(why)
    except Exception as error:  # noqa: BLE001 - torch may raise anything at written code
        return f"written out, it raises {type(error).__name__}"


def _part(group: Group, text: Text) -> Part:
    _refuse_unfit(group, text)
    shapes = tuple(_shapes(group, text.function()))
    draws = tuple(_draw(node, group, shapes) for node in group.inputs)
    operations = tuple(name_of(node).strip("_") for node in group.nodes)
    outputs = len(group.outputs)
    return Part(group.module, operations, text.parameters, text.lines, outputs, shapes, draws)


def _refuse_unfit(group: Group, text: Text) -> None:
    if len(group.inputs) > MOST_INPUTS:
        raise Unwritable(f"it has more than {MOST_INPUTS} inputs")
    if len(text.lines) > MOST_LINES:
        raise Unwritable(f"it has more than {MOST_LINES} operations")
    inputs, outputs = (list(map(value_of, nodes)) for nodes in (group.inputs, group.outputs))
    if any(tensor.dim() == 0 or 0 in tensor.shape for tensor in inputs):
        raise Unwritable("one of its inputs is a single number, or empty")
    if any(tensor.is_floating_point() and tensor.dtype != torch.float32 for tensor in inputs):
        raise Unwritable("its values are not of float32")
    if not outputs or any(tensor.dtype != torch.float32 for tensor in outputs):
        raise Unwritable("its answer is not of float32")


def _shapes(group: Group, function: Callable[..., Any]) -> Iterator[Shape]:
    """Yield the shapes of the inputs, with a name for each size that may vary.

    A size may vary if the function also runs with smaller and larger sizes. Equal sizes share a
    name, except at an axis (counted from the last) where they can vary without the others.
    """
    shapes = [tuple(value_of(node).shape) for node in group.inputs]
    if _outcome(function, group, {}) != [_facts(value_of(node)) for node in group.outputs]:
        raise Unwritable("written out, it is another computation")
    free: list[tuple[int, list[Place]]] = []
    for places_by_key in _by_axis(shapes), _by_size(shapes):
        known = {place for _, places in free for place in places}
        for (size, _), places in places_by_key.items():
            rest = [place for place in places if place not in known]
            tried = (1, 2, size + 1, 5 * size + 2) if size > 1 and rest else ()
            if tried and all(_outcome(function, group, dict.fromkeys(rest, n)) for n in tried):
                free.append((size, rest))
    if not free:
        raise Unwritable("all of its sizes are fixed")
    if len(free) > len(SIZE_NAMES):
        raise Unwritable("it has too many sizes")
    together = {place: 3 * size + n for n, (size, places) in enumerate(free) for place in places}
    if not all(
        _outcome(function, group, sizes) for sizes in (together, dict.fromkeys(together, 1))
    ):
        raise Unwritable("its sizes can't be told apart")
    free.sort(key=lambda one: one[1][0])
    names = {place: name for name, (_, p) in zip(SIZE_NAMES, free, strict=False) for place in p}
    for number, shape in enumerate(shapes):
        yield tuple(names.get((number, axis), size) for axis, size in enumerate(shape))


def _by_axis(shapes: Sequence[tuple[int, ...]]) -> dict[tuple[int, int], list[Place]]:
    places: dict[tuple[int, int], list[Place]] = defaultdict(list)
    for number, shape in enumerate(shapes):
        for axis, size in enumerate(shape):
            places[size, axis - len(shape)].append((number, axis))
    return places


def _by_size(shapes: Sequence[tuple[int, ...]]) -> dict[tuple[int, int], list[Place]]:
    places: dict[tuple[int, int], list[Place]] = defaultdict(list)
    for (size, _), some in _by_axis(shapes).items():
        places[size, 0] += some
    return {key: sorted(some) for key, some in places.items()}


def _outcome(
    function: Callable[..., Any], group: Group, changed: Mapping[Place, int]
) -> list[tuple[Any, ...]]:
    """Return the types and shapes of the results at changed sizes, or [] if the function fails."""
    with unset_fake_temporarily():
        inputs = [
            torch.empty(
                [changed.get((number, axis), size) for axis, size in enumerate(value.shape)],
                dtype=value.dtype,
                device="meta",
            )
            for number, value in enumerate(map(value_of, group.inputs))
        ]
        try:
            answers = function(*inputs)
        except Exception:  # noqa: BLE001 - torch may raise anything about sizes
            return []
    return [_facts(one) for one in ((answers,) if isinstance(answers, torch.Tensor) else answers)]


def _facts(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor.dtype, tuple(tensor.shape)


def _draw(node: Node, group: Group, shapes: Sequence[Shape]) -> Draw:
    """Return the distribution of values that the uses of an input need."""
    dtype, inside = value_of(node).dtype, frozenset(group.nodes)
    if dtype == torch.bool:
        return Draw("mask")
    if dtype.is_floating_point:
        positive = any(_needs_positive(node, user) for user in node.users if user in inside)
        return Draw("positive" if positive else "normal")
    bounds = {
        str(shapes[group.inputs.index(source)][axis]) if source in group.inputs else ""
        for source, axis in _indexed_by(node, inside)
    }
    if not bounds:
        return Draw("integers", str(dtype).removeprefix("torch."))
    if len(bounds) > 1 or "" in bounds or dtype != torch.int64:
        raise Unwritable("its indices have no known bound")
    return Draw("index", bound=bounds.pop())


def _needs_positive(node: Node, user: Node) -> bool:
    name = name_of(user)
    if name == "batch_norm":
        return user.args[4] is node
    if name == "div":
        return user.args[1] is node
    if name == "add" and not isinstance(user.args[1], Node):
        return any(name_of(one) in NOT_BELOW_ZERO for one in user.users)
    return name in NOT_BELOW_ZERO


def _indexed_by(node: Node, inside: frozenset[Node]) -> Iterator[tuple[Any, int]]:
    """Yield each tensor that is indexed by a node or a view of it, with the indexed axis."""
    for user in node.users:
        name = name_of(user)
        if user not in inside:
            continue
        if name == "embedding":
            yield user.args[0], 0
        elif name in ("gather", "index_select"):
            yield user.args[0], int(str(user.args[1]))
        elif name == "index" and isinstance(places := user.args[1], list | tuple):
            yield user.args[0], list(places).index(node)
        elif name in OF_AN_INDEX:
            yield from _indexed_by(user, inside)
        elif name in ("scatter", "scatter_add", "index_add", "index_put"):
            yield None, 0
