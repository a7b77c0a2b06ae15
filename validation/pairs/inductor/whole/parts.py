"""Parts of models, each with the data for a pair's texts. This runs in the sandbox.

Repeated layers produce equal parts. Each distinct part is returned once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, TypeVar
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.fx import Graph, Node
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, ShapeEnv

from validation.pairs.inductor import Unwritable
from validation.pairs.inductor.lower import symbolic_sizes
from validation.pairs.inductor.whole.graph import Group, graph_of, groups, name_of, value_of
from validation.pairs.inductor.whole.making import Made, Make, modules
from validation.pairs.inductor.whole.spelling import Text, spelled

Answer = TypeVar("Answer")

MOST_INPUTS = 8
MOST_LINES = 40
SIZE_NAMES = ("m", "n", "k", "p", "q", "r", "s", "t")
NOT_BELOW_ZERO = frozenset({"log", "log2", "reciprocal", "rsqrt", "sqrt"})
# Operations whose result is an index if their input is an index.
OF_AN_INDEX = frozenset({
    "expand", "reshape", "select", "slice", "transpose", "unsqueeze", "view",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    module: str
    operations: tuple[str, ...]
    arguments: tuple[str, ...]
    """The inputs in the form of `Argument.parsed`. A size is a number, or a name if it may vary."""
    lines: tuple[str, ...]


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
        return parts(graph_of(module.eval(), inputs))
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
        case DataDependentOutputException() | GuardOnDataDependentSymNode():
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
    made = (part for part in results.values() if isinstance(part, Part))
    # Parts of the same code differ only in sizes that are fixed.
    distinct = {(part.lines, *(a.count(",") for a in part.arguments)): part for part in made}
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
    shapes = list(_shapes(group, text.function()))
    arguments = tuple(
        f"{name} [{', '.join(shape)}] {_draw(node, group, shapes)}"
        for name, shape, node in zip(text.parameters, shapes, group.inputs, strict=True)
    )
    operations = tuple(name_of(node).strip("_") for node in group.nodes)
    return Part(group.module, operations, arguments, text.lines)


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


def _shapes(group: Group, function: Callable[..., Any]) -> Iterator[list[str]]:
    """Yield the shapes of the inputs, with a name for each size that may vary.

    A size may vary if the function also runs with smaller and larger sizes.
    """
    inputs = list(map(value_of, group.inputs))
    related = _related_sizes(function, inputs)
    sizes = dict(chain.from_iterable(map(zip, related, (tensor.shape for tensor in inputs))))

    def outcome(changed: Mapping[Any, int]) -> list[tuple[Any, ...]]:
        shapes = [[changed.get(size, sizes[size]) for size in shape] for shape in related]
        return _outcome(function, inputs, shapes)

    if outcome({}) != [_facts(value_of(node)) for node in group.outputs]:
        raise Unwritable("written out, it is another computation")
    free = [
        symbol
        for symbol, size in sizes.items()
        if getattr(symbol, "is_symbol", False)
        and all(outcome({symbol: tried}) for tried in (1, 2, size + 1, 5 * size + 2))
    ]
    if not free:
        raise Unwritable("all of its sizes are fixed")
    if len(free) > len(SIZE_NAMES):
        raise Unwritable("it has too many sizes")
    together = {symbol: 3 * sizes[symbol] + number for number, symbol in enumerate(free)}
    if not (outcome(together) and outcome(dict.fromkeys(free, 1))):
        raise Unwritable("its sizes can't be told apart")
    names = dict(zip(free, SIZE_NAMES, strict=False))
    for shape in related:
        yield [names.get(size) or str(sizes[size]) for size in shape]


def _related_sizes(function: Callable[..., Any], inputs: Sequence[torch.Tensor]) -> list[list[Any]]:
    """Return an expression of each input's sizes. Those of sizes that must be equal are equal."""
    shapes = ShapeEnv(duck_shape=False)
    with unset_fake_temporarily(), FakeTensorMode(shape_env=shapes):
        symbolic = [
            torch.empty(symbolic_sizes(shapes, tensor, number), dtype=tensor.dtype)
            for number, tensor in enumerate(inputs)
        ]
        function(*symbolic)
    sizes: list[list[Any]] = [list(tensor.shape) for tensor in symbolic]
    return [
        [size.node.expr if isinstance(size, torch.SymInt) else size for size in shape]
        for shape in sizes
    ]


def _outcome(
    function: Callable[..., Any], inputs: Sequence[torch.Tensor], shapes: Sequence[Sequence[int]]
) -> list[tuple[Any, ...]]:
    """Return the types and shapes of the results at these sizes, or [] if the function fails."""
    with unset_fake_temporarily():
        tensors = [
            torch.empty(shape, dtype=tensor.dtype, device="meta")
            for shape, tensor in zip(shapes, inputs, strict=True)
        ]
        try:
            answers = function(*tensors)
        except Exception:  # noqa: BLE001 - torch may raise anything about sizes
            return []
    return [_facts(one) for one in ((answers,) if isinstance(answers, torch.Tensor) else answers)]


def _facts(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor.dtype, tuple(tensor.shape)


def _draw(node: Node, group: Group, shapes: Sequence[Sequence[str]]) -> str:
    """Return the distribution of values that the uses of an input need, its type and its bound."""
    dtype, inside = value_of(node).dtype, frozenset(group.nodes)
    if dtype == torch.bool:
        return "mask"
    if dtype.is_floating_point:
        positive = any(_needs_positive(node, user) for user in node.users if user in inside)
        return "positive" if positive else "normal"
    bounds = {
        shapes[group.inputs.index(source)][axis] if source in group.inputs else ""
        for source, axis in _indexed_by(node, inside)
    }
    if not bounds:
        return f"integers {str(dtype).removeprefix('torch.')}"
    if len(bounds) > 1 or "" in bounds or dtype != torch.int64:
        raise Unwritable("its indices have no known bound")
    return f"index _ {bounds.pop()}"


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
