"""Number of axes and sizes of tiles, as far as the code determines them."""

import ast
import re
from collections.abc import Callable, Iterator

from validation.repairs.source import ParsedText, in_order
from validation.repairs.value_flow import called, combines, sources, values_of

VIEW = re.compile(r"\[(None, :|:, None)\]")
ELEMENTWISE = {
    "where", "abs", "maximum", "minimum", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid",
    "erf", "sin", "cos", "floor", "ceil", "clamp", "fma", "load", "rand", "trans",
}  # fmt: skip
METHODS = {"to"}
Combine = Callable[..., int | None]
# Calls that return a scalar.
SINGLE = {"program_id", "num_programs", "cdiv"}


def axes(source: ParsedText, kernel: ast.FunctionDef, node: ast.expr) -> int | None:
    """Return the number of axes of an expression, or None if the code does not determine it."""
    return _axes(source, kernel, node, frozenset())


def _axes(
    source: ParsedText, kernel: ast.FunctionDef, node: ast.expr, seen: frozenset[str]
) -> int | None:
    def of(*parts: ast.expr) -> int | None:
        return _most([_axes(source, kernel, part, seen) for part in parts])

    match node:
        case ast.Constant():
            return 0
        case ast.Name():
            return _axes_of_name(source, kernel, node.id, seen)
        case ast.Subscript(slice=ast.Tuple(elts=elements)):
            return len(elements)
        case ast.BinOp():
            return of(node.left, node.right)
        case ast.UnaryOp():
            return of(node.operand)
        case ast.Compare():
            return of(node.left, *node.comparators)
        case ast.Call():
            return _axes_of_call(source, node, of(*node.args), of)
    return None


def _axes_of_call(source: ParsedText, call: ast.Call, given: int | None, of: Combine) -> int | None:
    name = called(call)
    if name in ("zeros", "full") and call.args:
        return len(call.args[0].elts) if isinstance(call.args[0], ast.Tuple | ast.List) else None
    if name == "arange":
        return 1
    if name == "dot":
        return 2
    if name in SINGLE or name == "float":
        return 0
    if name in METHODS and isinstance(call.func, ast.Attribute):
        return of(call.func.value)
    if name in ("cumsum", "cumprod", "associative_scan", "sort"):
        return of(call.args[0])
    if combines(call):
        tile, along = of(call.args[0]), any(word.arg == "axis" for word in call.keywords)
        return tile - 1 if tile and along else None
    return given if name in ELEMENTWISE else None


def _axes_of_name(
    source: ParsedText, kernel: ast.FunctionDef, name: str, seen: frozenset[str]
) -> int | None:
    if name in seen:
        return 0
    values = values_of(kernel, name)
    if not values:
        return _axes_of_argument(source, kernel, name)
    return _most([_axes(source, kernel, value, seen | {name}) for value in values])


def _axes_of_argument(source: ParsedText, kernel: ast.FunctionDef, name: str) -> int | None:
    """Return 0 for parameters of launched kernels, loop counters and constants of the module.

    A parameter of a helper is unknown: it may be a tile.
    """
    is_argument = any(argument.arg == name for argument in kernel.args.args)
    calls = (node for other in source.kernels for node in in_order(other))
    is_called = any(
        isinstance(node, ast.Call) and source.spelled(node.func) == kernel.name for node in calls
    )
    return None if is_argument and is_called else 0


def _most(counts: list[int | None]) -> int | None:
    """Return the number of axes after broadcasting: two are certain despite unknown operands."""
    known = [count for count in counts if count is not None]
    if any(count >= 2 for count in known):
        return max(known)
    return None if len(known) < len(counts) or not counts else max(known)


def sizes(source: ParsedText, kernel: ast.FunctionDef, node: ast.expr) -> list[str]:
    """Return the lengths of the `tl.arange` calls that an expression depends on."""
    return [
        source.spelled(leaf.args[1])
        for root in sources(kernel, node)
        for leaf in in_order(root)
        if called(leaf) == "arange" and isinstance(leaf, ast.Call) and len(leaf.args) == 2
    ]


def literal_sizes(
    source: ParsedText, kernel: ast.FunctionDef, first: str, second: str
) -> set[tuple[int, int]]:
    """Return pairs of sizes in configurations or launches, or none if one is unknown."""
    settings: list[dict[object, ast.expr]] = [
        {key.value: value for key, value in zip(node.keys, node.values, strict=True)
         if isinstance(key, ast.Constant)}
        for call in ast.walk(source.tree)
        if called(call) == "Config"
        for node in ast.iter_child_nodes(call)
        if isinstance(node, ast.Dict)
    ]  # fmt: skip
    settings = [setting for setting in settings if {first, second} <= set(setting)]
    if not settings:
        settings = [
            {word.arg: word.value for word in node.keywords}
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Subscript)
            and source.spelled(node.func.value) == kernel.name
        ]
    pairs = {
        (_number(source, setting.get(first)), _number(source, setting.get(second)))
        for setting in settings
    }
    known = {(one, two) for one, two in pairs if one is not None and two is not None}
    return known if len(known) == len(pairs) else set()


def _number(source: ParsedText, node: ast.expr | None) -> int | None:
    """Return the integer of a literal, or of a name that is assigned once, to a literal."""
    if isinstance(node, ast.Name):
        values = list(_values(source, node.id))
        node = values[0] if len(values) == 1 else None
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _values(source: ParsedText, name: str) -> Iterator[ast.expr | None]:
    """Yield the values that launchers and the module assign to a name."""
    inside = {id(node) for kernel in source.kernels for node in ast.walk(kernel)}
    for statement in ast.walk(source.tree):
        if isinstance(statement, ast.Assign) and id(statement) not in inside:
            target, value = statement.targets[0], statement.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            else:
                pairs = [(target, value)]
            yield from (new for old, new in pairs if name == source.spelled(old))
