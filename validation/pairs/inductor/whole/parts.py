"""Sandbox side: parts of a model, each with the data for a pair's texts.

Repeated layers produce equal parts, which are returned once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph

from validation.pairs.inductor.unwritable import Unwritable
from validation.pairs.inductor.whole.drawing import Draw, draw
from validation.pairs.inductor.whole.graph import graph_of_function, name_of, value_of
from validation.pairs.inductor.whole.grouping import Group, groups
from validation.pairs.inductor.whole.sizing import Shape, sizes
from validation.pairs.inductor.whole.spelling import Text, spelled

Answer = TypeVar("Answer")

MOST_INPUTS = 8
MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class Part:
    operations: tuple[str, ...]
    parameters: tuple[str, ...]
    lines: tuple[str, ...]
    outputs: int
    shapes: tuple[Shape, ...]
    draws: tuple[Draw, ...]


def parts(graph: Graph) -> dict[str, Any]:
    """Return the distinct parts as `made`, the number of `groups`, and `reasons` for dropping
    others."""
    results: dict[tuple[Any, ...], Part | str] = {}
    reasons: Counter[str] = Counter()
    all_groups = list(groups(graph))
    for group in all_groups:
        text = _or_reason(spelled, group)
        if isinstance(text, str):
            reasons[text] += 1
            continue
        key = (text, *((value_of(one).dtype, value_of(one).shape) for one in group.inputs))
        if key not in results:
            results[key] = _or_reason(_part, group, text)
        result = results[key]
        if isinstance(result, str):
            reasons[result] += 1
    distinct = dict.fromkeys(part for part in results.values() if isinstance(part, Part))
    return {
        "made": [asdict(part) for part in distinct],
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
    function = _function(text)
    examples = [_example(value_of(one)) for one in group.inputs]
    if _nameless(_written_again(function, examples, text)) != _nameless(text):
        raise Unwritable("written out, it is another computation")
    shapes = tuple(sizes(function, examples))
    if not any(isinstance(size, str) for shape in shapes for size in shape):
        raise Unwritable("all of its sizes are fixed")
    draws = tuple(draw(node, group, shapes) for node in group.inputs)
    operations = tuple(name_of(node).strip("_") for node in group.nodes)
    return Part(operations, text.parameters, text.lines, text.outputs, shapes, draws)


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


def _function(text: Text) -> Callable[..., Any]:
    space: dict[str, Any] = {}
    exec(compile(text.function(), "part.py", "exec"), space)  # noqa: S102 - in the sandbox
    function: Callable[..., Any] = space["f"]
    return function


def _example(value: torch.Tensor) -> torch.Tensor:
    return torch.empty(value.shape, dtype=value.dtype, device="meta")


def _written_again(
    function: Callable[..., Any], examples: Sequence[torch.Tensor], text: Text
) -> Text:
    """Trace the generated text and generate text again. A difference reveals an error."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        inputs = [torch.empty(one.shape, dtype=one.dtype) for one in examples]
        graph = graph_of_function(function, inputs).graph
    nodes = list(graph.nodes)
    outputs = nodes[-1].args[0]
    return spelled(
        Group(
            nodes=tuple(node for node in nodes if node.op == "call_function"),
            inputs=tuple(node for node in nodes if node.op == "placeholder"),
            outputs=tuple(outputs),
        ),
        text.parameters,
    )


def _nameless(text: Text) -> str:
    """Return the text with numbered names: names depend on spellings of operations, which vary."""
    body = "\n".join(text.lines)
    for place, line in enumerate(text.lines[:-1]):
        name = line.partition(" = ")[0]
        body = re.sub(rf"(?<![.\w]){name}\b", f"part{place}", body)
    return body
