"""Source of a function body for a group of operations, as a person would write it (in the sandbox).

Each operation is one line and uses torch's public names. Sizes are read from a tensor that has
them, so that the function supports other sizes.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the name in the source
from torch.fx import Node

from validation.pairs.inductor import Unwritable
from validation.pairs.inductor.whole.graph import Group, name_of, value_of

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "eq": "==", "ne": "!=",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "bitwise_and": "&", "bitwise_or": "|",
    "__and__": "&", "__or__": "|", "remainder": "%", "floor_divide": "//", "rsub": "-",
}  # fmt: skip
# Arguments that torch's private functions have and its public functions lack.
PRIVATE = frozenset({"cudnn_enable", "half_to_float", "layout", "memory_format", "pin_memory"})
ACTIVATIONS = ("x", "y", "z", "a", "b", "c", "d", "e", "f", "g", "h", "o")
PARAMETERS = ("weight", "bias", "running_mean", "running_var")
TAKEN = frozenset({*dir(builtins), *keyword.kwlist, "torch", "F"})


@dataclass(frozen=True, slots=True)
class Text:
    parameters: tuple[str, ...]
    lines: tuple[str, ...]

    def function(self) -> Callable[..., Any]:
        body = "\n".join(f"    {line}" for line in self.lines)
        space: dict[str, Any] = {"torch": torch, "F": F}
        text = f"def f({', '.join(self.parameters)}):\n{body}\n"
        exec(compile(text, "part.py", "exec"), space)  # noqa: S102 - in the sandbox
        function: Callable[..., Any] = space["f"]
        return function


def spelled(group: Group) -> Text:
    """Return the source of a group's function."""
    spelling = _Spelling(group)
    for node in group.inputs:
        if not isinstance(value_of(node), torch.Tensor):
            raise Unwritable("one of its inputs is no tensor")
        spelling.names[node] = spelling.free(_names_of_input(node))
    if not spelling.names:
        raise Unwritable("it takes no tensor")
    parameters = tuple(spelling.names.values())
    lines = [spelling.line(node) for node in group.nodes]
    returned = ", ".join(spelling.names[node] for node in group.outputs)
    name, _, right = lines[-1].partition(" = ")
    # A value that is returned at once is not assigned to a name first.
    last = [f"return {right}"] if name == returned else [lines[-1], f"return {returned}"]
    return Text(parameters, (*lines[:-1], *last))


def _names_of_input(node: Node) -> tuple[str, ...]:
    """Return candidate names of an input. For a weight, the last part of its name in the model."""
    last = str(node.meta.get("held", "")).rpartition(".")[2]
    if last in PARAMETERS:
        return (last,)
    dtype = value_of(node).dtype
    if dtype == torch.bool:
        return ("mask",)
    return ACTIVATIONS if dtype.is_floating_point else ("index",)


@dataclass
class _Spelling:
    group: Group
    names: dict[Node, str] = field(default_factory=dict)

    def line(self, node: Node) -> str:
        right = self._expression(node)
        name = self.names[node] = self.free((name_of(node).strip("_") or "part",))
        return f"{name} = {right}"

    def free(self, preferred: Iterable[str]) -> str:
        used = {*self.names.values(), *TAKEN}
        *_, last = several = tuple(preferred)
        numbered = (f"{last}_{number}" for number in range(1, 10_000))
        return next(name for name in (*several, *numbered) if name not in used)

    def _expression(self, node: Node) -> str:
        name = name_of(node)
        if name == "getitem":
            return f"{self._word(node.args[0])}[{node.args[1]}]"
        if not isinstance(node.target, torch._ops.OpOverload):
            raise Unwritable(f"{getattr(node.target, '__name__', node.target)}")
        if torch.Tag.nondeterministic_seeded in node.target.tags:
            raise Unwritable("it draws numbers at random")
        arguments = _by_name(node, node.target)
        if name in SPECIAL:
            return SPECIAL[name](self, node, arguments)
        if name in OPERATORS and set(arguments) <= {"self", "other", "exponent"}:
            words = [self._word(value) for value in arguments.values()]
            left, right = words[::-1] if name == "rsub" else words
            return f"{left} {OPERATORS[name]} {right}"
        return self._call(node, node.target, arguments)

    def _call(
        self, node: Node, target: torch._ops.OpOverload, arguments: Mapping[str, Any], **words: str
    ) -> str:
        """Return a call. `words`: source of arguments that do not follow from their values."""
        name = name_of(node)
        order = [argument.name for argument in target._schema.arguments if not argument.kwarg_only]
        # By position up to the first omitted argument, number or switch. Further ones by name.
        placed = _alike(order, [k for k, v in arguments.items() if not isinstance(v, bool | float)])
        words = {key: self._word(value) for key, value in arguments.items()} | words
        values = [
            word if place < placed else f"{key}={word}"
            for place, (key, word) in enumerate(words.items())
        ]
        if not node.all_input_nodes:
            values.append(f"device={next(iter(self.names.values()))}.device")
        if hasattr(torch.Tensor, name) and (target.is_view or name == "type_as"):
            return f"{values[0]}.{name}({', '.join(values[1:])})"
        for place, library in (("F", F), ("torch", torch)):
            is_method = place == "F" and hasattr(torch.Tensor, name)
            if hasattr(library, name) and not name.startswith("_") and not is_method:
                return f"{place}.{name}({', '.join(values)})"
        raise Unwritable(f"torch has no public name for aten.{name}")

    def _word(self, value: Any) -> str:
        match value:
            case Node():
                return self.names[value]
            case list() | tuple():
                inner = ", ".join(map(self._word, value))
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            case str():
                return f'"{value}"'
            case float() if value != value or value in (float("inf"), float("-inf")):
                return f'float("{value}")'
            case torch.device():
                raise Unwritable("it says where a tensor lies")
            case _:
                return repr(value)

    # Methods for operations whose public function in torch takes other arguments, or takes sizes.

    def _to(self, node: Node, arguments: Mapping[str, Any]) -> str:
        return f"{self._word(node.args[0])}.to({value_of(node).dtype})"

    def _view(self, node: Node, arguments: Mapping[str, Any]) -> str:
        source = node.all_input_nodes[0]
        before, after = list(value_of(source).shape), list(value_of(node).shape)
        name = self.names[source]
        same = _alike(before, after)
        ending = _alike(before[same:][::-1], after[same:][::-1])
        middle = [str(size) for size in after[same : len(after) - ending]]
        # One size can be inferred: the first one that changes.
        middle[:1] = ["-1"] * bool(middle)
        sizes = [f"{name}.shape[{axis}]" for axis in range(same)] + middle
        sizes += [f"{name}.shape[{axis}]" for axis in range(-ending, 0)]
        return f"{name}.reshape({', '.join(sizes)})"

    def _expand(self, node: Node, arguments: Mapping[str, Any]) -> str:
        source = node.all_input_nodes[0]
        before, after = value_of(source).shape, value_of(node).shape
        new = len(after) - len(before)
        sizes = [
            "-1" if axis >= new and before[axis - new] == size else self._size(size)
            for axis, size in enumerate(after)
        ]
        return f"{self.names[source]}.expand({', '.join(sizes)})"

    def _size(self, size: int) -> str:
        """Return an expression for a size, read from an input that has this size."""
        for node in self.group.inputs:
            shape = list(value_of(node).shape)
            if size > 1 and size in shape:
                return f"{self.names[node]}.shape[{shape.index(size)}]"
        return str(size)

    def _slice(self, node: Node, arguments: Mapping[str, Any]) -> str:
        shape, name = value_of(arguments["self"]).shape, self._word(arguments["self"])
        axis = arguments.get("dim", 0) % len(shape)
        size, last = int(shape[axis]), axis == len(shape) - 1

        def bound(place: int | None) -> str:
            if place is None or place == 0 or place >= size:
                return ""
            # If the index is the middle, write it as half of the size, so that it fits other sizes.
            half = f"{name}.shape[{-1 if last else axis}] // 2"
            return half if size > 2 and 2 * place == size else str(place)

        step = f":{arguments['step']}" if "step" in arguments else ""
        before = "..., " if last and axis else ":, " * axis
        words = f"{bound(arguments.get('start'))}:{bound(arguments.get('end'))}{step}"
        return f"{name}[{before}{words}]"

    def _layer_norm(self, node: Node, arguments: Mapping[str, Any]) -> str:
        name, axes = self._word(arguments["input"]), len(arguments["normalized_shape"])
        shape = f"({name}.shape[-1],)" if axes == 1 else f"{name}.shape[-{axes}:]"
        return self._call(node, cast(Any, node.target), arguments, normalized_shape=shape)

    def _batch_norm(self, node: Node, arguments: Mapping[str, Any]) -> str:
        if arguments["training"] or arguments.get("running_mean") is None:
            raise Unwritable("a batch norm that trains")
        named = ("weight", "bias", "eps")
        words = [self._word(arguments[name]) for name in ("input", "running_mean", "running_var")]
        words += [
            f"{name}={self._word(arguments[name])}"
            for name in named
            if arguments.get(name) is not None
        ]
        return f"F.batch_norm({', '.join(words)})"

    def _embedding(self, node: Node, arguments: Mapping[str, Any]) -> str:
        return f"F.embedding({self._word(arguments['indices'])}, {self._word(arguments['weight'])})"

    def _index(self, node: Node, arguments: Mapping[str, Any]) -> str:
        words = [":" if one is None else self._word(one) for one in arguments["indices"]]
        return f"{self._word(arguments['self'])}[{', '.join(words)}]"


SPECIAL: dict[str, Callable[[_Spelling, Node, Mapping[str, Any]], str]] = {
    **dict.fromkeys(("flatten", "reshape", "unflatten", "view"), _Spelling._view),
    **dict.fromkeys(("layer_norm", "rms_norm"), _Spelling._layer_norm),
    "batch_norm": _Spelling._batch_norm,
    "embedding": _Spelling._embedding,
    "expand": _Spelling._expand,
    "index": _Spelling._index,
    "slice": _Spelling._slice,
    "to": _Spelling._to,
}


def _by_name(node: Node, target: torch._ops.OpOverload) -> dict[str, Any]:
    """Return the arguments that differ from their defaults, by name."""
    schema = target._schema.arguments
    given = dict(zip((argument.name for argument in schema), node.args, strict=False))
    given.update(node.kwargs)
    defaults = {one.name: one.default_value for one in schema if one.has_default_value()}
    if not node.all_input_nodes:
        given.pop("device", None)
    return {
        name: value
        for name, value in given.items()
        if name not in PRIVATE and not (name in defaults and _equal(value, defaults[name]))
    }


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _alike(some: Sequence[object], others: Sequence[object]) -> int:
    """Return the length of the common prefix of two sequences."""
    pairs = zip(some, others, strict=False)
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
