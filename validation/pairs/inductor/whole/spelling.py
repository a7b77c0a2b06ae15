"""Sandbox side: source of a function body for a group of operations, as a person would write it.

Each operation has a line, with torch's public names. Sizes are read from a tensor that has them, so
that the function supports other sizes.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from validation.pairs.inductor.unwritable import Unwritable
from validation.pairs.inductor.whole.graph import name_of, value_of
from validation.pairs.inductor.whole.grouping import Group

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "eq": "==", "ne": "!=",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "bitwise_and": "&", "bitwise_or": "|",
    "__and__": "&", "__or__": "|", "remainder": "%", "floor_divide": "//",
}  # fmt: skip
FUNCTIONAL = frozenset({
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "conv1d", "conv2d",
    "conv3d", "elu", "gelu", "glu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "linear",
    "log_sigmoid", "max_pool1d", "max_pool2d", "mish", "pad", "relu6", "silu", "softplus",
    "scaled_dot_product_attention",
})  # fmt: skip
METHODS = frozenset({
    "chunk", "flatten", "masked_fill", "movedim", "narrow", "permute", "select", "split", "squeeze",
    "t", "transpose", "unbind", "unsqueeze", "type_as",
})  # fmt: skip
RENAMED = {"log_sigmoid": "logsigmoid", "split_with_sizes": "split", "mm": "mm"}
CREATED = frozenset({"arange", "empty", "full", "ones", "zeros", "scalar_tensor"})
RANDOM = frozenset({"bernoulli", "dropout", "multinomial", "normal", "rand", "randint", "randn"})
ACTIVATIONS = ("x", "y", "z", "a", "b", "c", "d", "e", "f", "g", "h", "o")
PARAMETERS = ("weight", "bias", "running_mean", "running_var")
TAKEN = frozenset({*dir(builtins), *keyword.kwlist, "torch", "F"})


@dataclass(frozen=True, slots=True)
class Text:
    parameters: tuple[str, ...]
    lines: tuple[str, ...]
    outputs: int

    def function(self, name: str = "f") -> str:
        body = "\n".join(f"    {line}" for line in self.lines)
        head = "import torch\nimport torch.nn.functional as F\n\n\n"
        return f"{head}def {name}({', '.join(self.parameters)}):\n{body}\n"


def spelled(group: Group, parameters: Sequence[str] = ()) -> Text:
    """Return the source for a group. `parameters` name its inputs; missing names are chosen."""
    return _Spelling(group).text(parameters)


@dataclass
class _Spelling:
    group: Group
    names: dict[Node, str] = field(default_factory=dict)

    def text(self, preferred: Sequence[str]) -> Text:
        for place, node in enumerate(self.group.inputs):
            if not isinstance(value_of(node), torch.Tensor):
                raise Unwritable("one of its inputs is no tensor")
            self.names[node] = preferred[place] if preferred else self._free(_of_input(node))
        if not self.names:
            raise Unwritable("it takes no tensor")
        parameters = tuple(self.names.values())
        lines = [self._line(node) for node in self.group.nodes]
        returned = ", ".join(self.names[node] for node in self.group.outputs)
        return Text(parameters, (*_joined(lines, returned),), len(self.group.outputs))

    def _line(self, node: Node) -> str:
        right = self._expression(node)
        name = self._free((name_of(node).strip("_") or "part",))
        self.names[node] = name
        return f"{name} = {right}"

    def _free(self, preferred: Iterable[str]) -> str:
        used = {*self.names.values(), *TAKEN}
        *_, last = several = tuple(preferred)
        numbered = (f"{last}_{number}" for number in range(1, 10_000))
        return next(name for name in (*several, *numbered) if name not in used)

    def _expression(self, node: Node) -> str:
        name = name_of(node)
        if name == "getitem":
            return f"{self._word(node.args[0])}[{node.args[1]}]"
        if not name:
            raise Unwritable(f"{getattr(node.target, '__name__', node.target)}")
        if name in RANDOM or torch.Tag.nondeterministic_seeded in node.target.tags:  # type: ignore[union-attr]
            raise Unwritable("it draws numbers at random")
        if name.endswith("_") and not name.startswith("__"):
            raise Unwritable("it changes a tensor in place")
        arguments = _by_name(node)
        if name in SPECIAL:
            return SPECIAL[name](self, node, arguments)
        if (
            name in OPERATORS
            and set(arguments) <= {"self", "other", "exponent"}
            and len(arguments) == 2
        ):
            left, right = (self._word(value) for value in arguments.values())
            return f"{left} {OPERATORS[name]} {right}"
        return self._called(node, name, arguments)

    def _called(self, node: Node, name: str, arguments: Mapping[str, Any]) -> str:
        public = RENAMED.get(name, name)
        first, *others = arguments.items() if arguments else [("", None)]
        if name in CREATED:
            words = [self._word(v) for k, v in arguments.items() if k not in _WHERE]
            words += [f"dtype={arguments['dtype']}"] if arguments.get("dtype") is not None else []
            return f"torch.{public}({', '.join([*words, f'device={self._device()}'])})"
        if public in METHODS and isinstance(first[1], Node):
            return f"{self._word(first[1])}.{public}({', '.join(self._words(node, others))})"
        if name in FUNCTIONAL:
            place = "F"
        elif hasattr(torch, public) and not public.startswith("_"):
            place = "torch"
        else:
            raise Unwritable(f"torch has no public name for aten.{name}")
        return f"{place}.{public}({', '.join(self._words(node, [first, *others]))})"

    def _words(self, node: Node, arguments: Iterable[tuple[str, Any]]) -> list[str]:
        """Return the source of arguments: by position up to the first omitted one, then by name."""
        order = [a.name for a in node.target._schema.arguments if not a.kwarg_only]  # type: ignore[union-attr]
        method = RENAMED.get(name_of(node), name_of(node)) in METHODS
        order = order[1:] if method else order
        words, by_place = [], True
        for place, (name, value) in enumerate(arguments):
            by_place = by_place and order[place : place + 1] == [name]
            by_place = by_place and not isinstance(value, bool | float)
            word = self._word(value)
            words.append(word if by_place else f"{_PUBLIC.get(name, name)}={word}")
        return words

    def _word(self, value: Any) -> str:
        match value:
            case Node():
                return self.names[value]
            case list() | tuple():
                inner = ", ".join(self._word(one) for one in value)
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            case str():
                return f'"{value}"'
            case float() if value != value or value in (float("inf"), float("-inf")):
                return f'float("{value}")'
            case torch.device() | torch.layout() | torch.memory_format():
                raise Unwritable("it says where a tensor lies")
            case _:
                return repr(value)

    def _device(self) -> str:
        return f"{next(iter(self.names.values()))}.device"

    # Methods for operations whose arguments differ from torch's public function.

    def _softmax(self, node: Node, arguments: Mapping[str, Any]) -> str:
        """Return a softmax, which has one name before decomposition and another after it."""
        words = [self._word(arguments["self"]), f"dim={arguments['dim']}"]
        if arguments.get("dtype") is not None:
            words.append(f"dtype={arguments['dtype']}")
        return f"torch.softmax({', '.join(words)})"

    def _rsub(self, node: Node, arguments: Mapping[str, Any]) -> str:
        if "alpha" in arguments:
            return self._called(node, "rsub", arguments)
        return f"{self._word(arguments['other'])} - {self._word(arguments['self'])}"

    def _neg(self, node: Node, arguments: Mapping[str, Any]) -> str:
        return f"-{self._word(arguments['self'])}"

    def _to(self, node: Node, arguments: Mapping[str, Any]) -> str:
        return f"{self._word(next(iter(arguments.values())))}.to({value_of(node).dtype})"

    def _view(self, node: Node, arguments: Mapping[str, Any]) -> str:
        source = node.all_input_nodes[0]
        before, after = list(value_of(source).shape), list(value_of(node).shape)
        name = self.names[source]
        same = _alike(before, after)
        ending = _alike(before[same:][::-1], after[same:][::-1])
        middle = [str(size) for size in after[same : len(after) - ending]]
        if middle:
            # One size can be inferred: the first, if a row is cut into pieces.
            middle[0] = "-1"
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
        """Return an expression for a size, from an input that has it."""
        for node in self.group.inputs:
            shape = value_of(node).shape
            if size > 1 and size in shape:
                return f"{self.names[node]}.shape[{list(shape).index(size)}]"
        return str(size)

    def _slice(self, node: Node, arguments: Mapping[str, Any]) -> str:
        source = arguments["self"]
        axis, step = arguments.get("dim", 0), arguments.get("step", 1)
        shape = value_of(source).shape
        axis = axis % len(shape)
        name, size = self.names[source], int(shape[axis])
        start, end = arguments.get("start") or 0, arguments.get("end")
        last = axis == len(shape) - 1
        begin = "" if start == 0 else self._part(name, axis, last, size, start)
        until = "" if end is None or end >= size else self._part(name, axis, last, size, end)
        words = f"{begin}:{until}" + (f":{step}" if step != 1 else "")
        before = "..., " if last and axis else ":, " * axis
        return f"{name}[{before}{words}]"

    def _part(self, name: str, axis: int, last: bool, size: int, place: int) -> str:
        """Return a bound of a slice.

        The middle is half of a size, so that it is right for other sizes.
        """
        axis = -1 if last else axis
        return f"{name}.shape[{axis}] // 2" if size > 2 and 2 * place == size else str(place)

    def _layer_norm(self, node: Node, arguments: Mapping[str, Any]) -> str:
        first = self._word(arguments["input"])
        axes = len(arguments["normalized_shape"])
        shape = f"({first}.shape[-1],)" if axes == 1 else f"{first}.shape[-{axes}:]"
        words = [first, shape, *self._weights(arguments, "weight", "bias")]
        return f"F.{name_of(node)}({', '.join([*words, *_number(arguments, 'eps')])})"

    def _group_norm(self, node: Node, arguments: Mapping[str, Any]) -> str:
        words = [self._word(arguments["input"]), str(arguments["num_groups"])]
        words += self._weights(arguments, "weight", "bias")
        return f"F.group_norm({', '.join([*words, *_number(arguments, 'eps')])})"

    def _batch_norm(self, node: Node, arguments: Mapping[str, Any]) -> str:
        if arguments["training"] or arguments.get("running_mean") is None:
            raise Unwritable("a batch norm that trains")
        words = [self._word(arguments[name]) for name in ("input", "running_mean", "running_var")]
        words += self._weights(arguments, "weight", "bias")
        return f"F.batch_norm({', '.join([*words, *_number(arguments, 'eps')])})"

    def _weights(self, arguments: Mapping[str, Any], *names: str) -> list[str]:
        present = [(name, arguments[name]) for name in names if arguments.get(name) is not None]
        return [f"{name}={self._word(value)}" for name, value in present]

    def _embedding(self, node: Node, arguments: Mapping[str, Any]) -> str:
        return f"F.embedding({self._word(arguments['indices'])}, {self._word(arguments['weight'])})"

    def _where(self, node: Node, arguments: Mapping[str, Any]) -> str:
        return f"torch.where({', '.join(self._word(value) for value in arguments.values())})"

    def _index(self, node: Node, arguments: Mapping[str, Any]) -> str:
        words = [":" if one is None else self._word(one) for one in arguments["indices"]]
        return f"{self._word(arguments['self'])}[{', '.join(words)}]"


SPECIAL: dict[str, Callable[[_Spelling, Node, Mapping[str, Any]], str]] = {
    "_softmax": _Spelling._softmax,
    "_to_copy": _Spelling._to,
    "_unsafe_view": _Spelling._view,
    "batch_norm": _Spelling._batch_norm,
    "convert_element_type": _Spelling._to,
    "embedding": _Spelling._embedding,
    "expand": _Spelling._expand,
    "flatten": _Spelling._view,
    "group_norm": _Spelling._group_norm,
    "index": _Spelling._index,
    "layer_norm": _Spelling._layer_norm,
    "neg": _Spelling._neg,
    "reshape": _Spelling._view,
    "rms_norm": _Spelling._layer_norm,
    "rsub": _Spelling._rsub,
    "slice": _Spelling._slice,
    "softmax": _Spelling._softmax,
    "to": _Spelling._to,
    "unflatten": _Spelling._view,
    "view": _Spelling._view,
    "where": _Spelling._where,
}
_WHERE = frozenset({"dtype", "layout", "device", "pin_memory", "memory_format"})
_PUBLIC = {"self": "input"}


def _by_name(node: Node) -> dict[str, Any]:
    """Return the arguments that differ from their defaults, by name."""
    schema = node.target._schema.arguments  # type: ignore[union-attr]
    arguments = dict(zip((argument.name for argument in schema), node.args, strict=False))
    arguments.update(node.kwargs)
    defaults = {
        argument.name: argument.default_value for argument in schema if argument.has_default_value()
    }
    return {
        name: value
        for name, value in arguments.items()
        if isinstance(value, Node) or name not in defaults or not _equal(value, defaults[name])
    }


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _number(given: Mapping[str, Any], name: str) -> list[str]:
    return [f"{name}={given[name]!r}"] if given.get(name) is not None else []


def _alike(some: list[int], others: list[int]) -> int:
    """Return the length of the common prefix."""
    count = 0
    for one, other in zip(some, others, strict=False):
        if one != other:
            break
        count += 1
    return count


def _of_input(node: Node) -> tuple[str, ...]:
    """Return candidate names for an input. A weight's is the last part of its name in the model."""
    last = str(node.meta.get("held", "")).rpartition(".")[2]
    if last in PARAMETERS:
        return (last,)
    dtype = value_of(node).dtype
    if dtype == torch.bool:
        return ("mask",)
    return ACTIVATIONS if dtype.is_floating_point else ("index",)


def _joined(lines: list[str], returned: str) -> list[str]:
    """Join lines. A value that is returned at once is not assigned to a name."""
    name, _, right = lines[-1].partition(" = ")
    return [*lines[:-1], f"return {right}"] if name == returned else [*lines, f"return {returned}"]
