"""Writing of an element-wise operation as a kernel and a launcher, as a person would write them.

At run time, the library's decorator writes an operation on tensors from a function of single
values. Here the same code is derived from the function's text and the decorator's arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

BLOCK = 1024
"""Number of elements that each program of the kernel computes."""

Promotion = tuple[tuple[int, ...], str]
"""Numbers of the inputs that determine an output's dtype, and the method of promotion."""


class NotWritable(ValueError):
    """The decorator's arguments are not understood completely."""


@dataclass(frozen=True, slots=True)
class Pointwise:
    """An element-wise operation: its inputs by name, which inputs are tensors, and its outputs."""

    name: str
    scalar: str
    """The name of the function of single values."""
    kernel: str
    inputs: tuple[str, ...]
    tensors: tuple[str, ...]
    promotions: tuple[Promotion, ...]
    converted: frozenset[str]
    """Inputs whose dtype the function reads or converts. Numbers of Python have no dtype."""
    in_place: bool
    """Whether some call passes the tensor to write to."""
    outputs: tuple[str, ...]


def read_pointwise(
    function: ast.FunctionDef, call: ast.expr, scalar: str, kernel: str, in_place: bool
) -> Pointwise:
    """Parse a decorator such as `@pointwise_dynamic(is_tensor=[…], promotion_methods=[…])`."""
    keywords = {k.arg: k.value for k in call.keywords} if isinstance(call, ast.Call) else {}
    inputs = tuple(argument.arg for argument in function.args.args)
    tensors: Sequence[object] = [True] * len(inputs)
    try:
        if "is_tensor" in keywords:
            tensors = ast.literal_eval(keywords["is_tensor"])
        methods = ast.literal_eval(keywords["promotion_methods"])
        promotions = tuple((tuple(int(n) for n in places), str(how)) for *places, how in methods)
    except (KeyError, ValueError, TypeError) as error:
        raise NotWritable(str(error)) from error
    if len(tensors) != len(inputs) or not any(tensors) or not promotions:
        raise NotWritable("It names another number of inputs.")
    if any(place >= len(inputs) for places, _ in promotions for place in places):
        raise NotWritable("It names an input that is not there.")
    chosen = tuple(name for name, tensor in zip(inputs, tensors, strict=True) if tensor)
    converted = frozenset(
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )
    outputs = tuple(f"out{number}" for number in range(len(promotions)))
    return Pointwise(
        function.name, scalar, kernel, inputs, chosen, promotions, converted, in_place, outputs
    )


def write_pointwise(op: Pointwise) -> str:
    """Return the source of the kernel and of its launcher."""
    names = _Names(op)
    return "\n".join([*_kernel(op, names), "", "", *_launcher(op, names), ""])


class _Names:
    """Local names that are not the name of any input."""

    def __init__(self, op: Pointwise) -> None:
        self._taken = set(op.inputs)
        self.count = self._fresh("n_elements")
        self.offsets = self._fresh("offsets")
        self.mask = self._fresh("mask")
        self.grid = self._fresh("grid")
        self.block = self._fresh("BLOCK_SIZE")
        self.handed = list(op.outputs)
        """The launcher's parameters for the tensors to write to."""
        one = len(op.promotions) == 1
        self.outputs = [self._fresh("out" if one else name) for name in self.handed]
        if op.in_place and not one:
            self.outputs = [self._fresh(f"written{n}") for n in range(len(op.promotions))]

    def _fresh(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        return name


def _kernel(op: Pointwise, names: _Names) -> list[str]:
    pointers = [f"{name}_ptr" if name in op.tensors else name for name in op.inputs]
    parameters = [*pointers, *(f"{name}_ptr" for name in names.outputs), names.count]
    offsets, mask = names.offsets, names.mask
    values = [
        f"tl.to_tensor({name})" if name in op.converted - {*op.tensors} else name
        for name in op.inputs
    ]
    return [
        "@triton.jit",
        f"def {op.kernel}({', '.join(parameters)}, {names.block}: tl.constexpr):",
        f"    {offsets} = tl.program_id(0) * {names.block} + tl.arange(0, {names.block})",
        f"    {mask} = {offsets} < {names.count}",
        *(f"    {name} = tl.load({name}_ptr + {offsets}, mask={mask})" for name in op.tensors),
        f"    {', '.join(names.outputs)} = {op.scalar}({', '.join(values)})",
        *(f"    tl.store({name}_ptr + {offsets}, {name}, mask={mask})" for name in names.outputs),
    ]


def _launcher(op: Pointwise, names: _Names) -> list[str]:
    outputs = names.outputs
    handed = [f"{name}=None" for name in names.handed] if op.in_place else []
    first = op.tensors[0]
    lines = [f"def {op.name}({', '.join([*op.inputs, *handed])}):"]
    types = [_result_type(op, promotion) for promotion in op.promotions]
    if len(op.tensors) > 1 or any(" if " in each for each in types):
        # Broadcasting hides which inputs are single values, and these widen no dtype.
        types, lines = _named_types(types, outputs, lines)
    if len(op.tensors) > 1:
        both = ", ".join(op.tensors)
        lines.append(f"    {both} = torch.broadcast_tensors({both})")
    lines += [f"    {name} = {name}.contiguous()" for name in op.tensors]
    for name, place, dtype in zip(outputs, names.handed, types, strict=True):
        made = f"torch.empty({first}.shape, dtype={dtype}, device={first}.device)"
        if dtype == f"{first}.dtype":
            made = f"torch.empty_like({first})"
        if op.in_place:
            made = f"{made} if {place} is None else {place}.contiguous()"
        lines.append(f"    {name} = {made}")
    lines.append(f"    {names.count} = {first}.numel()")
    lines.append(f"    {names.grid} = (max(1, triton.cdiv({names.count}, {BLOCK})),)")
    arguments = [*op.inputs, *outputs, names.count, f"{names.block}={BLOCK}"]
    lines.append(f"    {op.kernel}[{names.grid}]({', '.join(arguments)})")
    if op.in_place:
        for name, place in zip(outputs, names.handed, strict=True):
            lines.append(f"    if {place} is not None and {name} is not {place}:")
            lines.append(f"        {name} = {place}.copy_({name})")
    return [*lines, f"    return {', '.join(outputs)}"]


def _named_types(
    types: Sequence[str], outputs: Sequence[str], lines: list[str]
) -> tuple[list[str], list[str]]:
    """Add a line that computes each output's dtype. If all are equal, they share one name."""
    single = len(set(types)) == 1
    names = ["dtype" if single else f"{output}_dtype" for output in outputs]
    assigned = dict(zip(names, types, strict=True))
    return names, [*lines, *(f"    {name} = {value}" for name, value in assigned.items())]


def _result_type(op: Pointwise, promotion: Promotion) -> str:
    """Return the expression of an output's dtype, by torch's rules of promotion."""
    places, how = promotion
    if how == "ALWAYS_BOOL":
        return "torch.bool"
    names = list(dict.fromkeys(op.inputs[place] for place in places))
    tensors = [name for name in names if name in op.tensors]
    if not tensors:
        raise NotWritable("No tensor decides the type of its output.")
    dtype = _promoted(tensors, [name for name in names if name not in tensors])
    made = METHODS.get(how)
    if made is None:
        raise NotWritable(f"{how} is no rule of promotion.")
    return made(dtype)


def _promoted(tensors: Sequence[str], numbers: Sequence[str]) -> str:
    first, *others = [*tensors, *numbers]
    if not others:
        return f"{first}.dtype"
    dtype = f"torch.result_type({first}, {others[0]})"
    for name in others[1:]:
        other = f"{name}.dtype" if name in tensors else f"torch.result_type({first}, {name})"
        dtype = f"torch.promote_types({dtype}, {other})"
    return dtype


METHODS: dict[str, Callable[[str], str]] = {
    "DEFAULT": lambda dtype: dtype,
    "NO_OPMATH": lambda dtype: dtype,
    "COMPLEX_TO_FLOAT": lambda dtype: f"{dtype}.to_real()",
    "INT_TO_FLOAT": lambda dtype: (
        f"{dtype} if {dtype}.is_floating_point else torch.get_default_dtype()"
    ),
    "BOOL_TO_LONG": lambda dtype: f"torch.int64 if {dtype} == torch.bool else {dtype}",
}
