"""Small changes of a kernel that would each undo a typical mistake."""

import ast
from collections.abc import Iterator
from typing import Any

OTHER_OPERATORS: dict[type[Any], tuple[type[Any], ...]] = {
    ast.Lt: (ast.LtE,), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE,), ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add), ast.Div: (ast.Mult,), ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
}  # fmt: skip
OTHER_NAMES = (
    ("max", "min", "sum"), ("maximum", "minimum"), ("exp", "exp2"), ("log", "log2"),
    ("sqrt", "rsqrt"), ("cumsum", "cumprod"), ("float16", "float32"), ("bfloat16", "float32"),
)  # fmt: skip
EDGES = ("0.0", "1.0", "-float('inf')", "float('inf')")
Change = tuple[Any, Any]
"""A node of a kernel's syntax tree, and its possible replacement."""


def changes(function: ast.FunctionDef) -> list[Change]:
    """Return the possible changes of a kernel: first other operators, numbers and functions, then
    other names and masks, then additional factors."""
    scope = _Scope(function)
    made = [
        (likelihood, node.lineno, node, ast.copy_location(after, node))
        for node in scope.nodes
        for likelihood, after in _others(node, scope)
        if ast.dump(after) != ast.dump(node)
    ]
    made.sort(key=lambda change: change[:2])
    return [(before, after) for _, _, before, after in made]


class _Scope:
    """The names and the masks that a kernel uses."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.nodes: list[Any] = [
            node
            for statement in function.body
            for node in ast.walk(statement)
            if isinstance(node, ast.stmt | ast.expr)
        ]
        arguments = [*function.args.args, *function.args.kwonlyargs]
        plain = [each.arg for each in arguments if not each.annotation and "ptr" not in each.arg]
        self.factors = [name for name in plain if "stride" not in name]
        names = [node for node in self.nodes if isinstance(node, ast.Name)]
        assigned = [name.id for name in names if isinstance(name.ctx, ast.Store)]
        self.repeated = {name for name in assigned if assigned.count(name) > 1}
        self.names = sorted({*assigned, *(each.arg for each in arguments)})
        masks = [node for node in self.nodes if isinstance(node, ast.Compare)]
        self.masks = sorted({ast.unparse(mask) for mask in masks})
        loops = [node for node in self.nodes if isinstance(node, ast.For)]
        self.counters = [ast.unparse(loop.target) for loop in loops]
        limits = [*masks, *(loop.iter for loop in loops)]
        self.bounds = {id(node) for limit in limits for node in ast.walk(limit)}

    def siblings(self, name: str) -> Iterator[str]:
        """Yield names that differ only after the last underscore, or before the first."""
        for other in self.names:
            head, tail = name.rpartition("_")[0], name.partition("_")[2]
            same = other.rpartition("_")[0] == head, other.partition("_")[2] == tail
            if other != name and ((head and same[0]) or (tail and same[1])):
                yield other


def _others(node: Any, scope: _Scope) -> Iterator[tuple[int, Any]]:
    """Yield replacements of a node, each with a rank, which is low if it is likely."""
    match node:
        case ast.Compare(left, [operator], right):
            for other in OTHER_OPERATORS.get(type(operator), ()):
                yield 0, ast.Compare(left, [other()], right)
        case ast.BinOp(left, operator, right):
            for other in OTHER_OPERATORS.get(type(operator), ()):
                yield 0, ast.BinOp(left, other(), right)
            yield from ((0, other) for other in (left, right))
            if isinstance(operator, ast.Sub | ast.Div):
                yield 0, ast.BinOp(right, operator, left)
        case ast.UnaryOp(ast.USub(), operand):
            yield from ((0, other) for other in (operand, ast.Constant(0.0)))
        case ast.Constant(value) if type(value) is int:
            yield from ((0, ast.Constant(value + step)) for step in (1, -1))
        case ast.Constant("inf" | "-inf" as value):
            yield 0, ast.Constant("-inf" if value == "inf" else "inf")
        case ast.Constant(value) if type(value) is float:
            yield from ((0, _expression(edge)) for edge in EDGES)
        case ast.Attribute(value, name, ast.Load()):
            for family in OTHER_NAMES:
                if name in family:
                    yield from ((0, ast.Attribute(value, word, ast.Load())) for word in family)
        case ast.Call(ast.Attribute(_, "load" | "store" | "atomic_add" as name)):
            yield from _masked(node, scope, is_load=name == "load")
        case ast.Call(ast.Attribute(_, "where") as where, [condition, first, second]):
            yield 0, ast.Call(where, [condition, second, first], [])
        case ast.Call(ast.Attribute(_, "arange")):
            for counter in scope.counters:
                yield 1, _expression(f"{counter} + {ast.unparse(node)}")
        case ast.Name(name, ast.Load()):
            yield from ((1, _expression(other)) for other in scope.siblings(name))
            if id(node) in scope.bounds:
                yield from ((1, _expression(f"{name} {step}")) for step in ("+ 1", "- 1"))
        case ast.Assign([ast.Name(name) as target], value):
            if name in scope.repeated:
                yield 1, ast.AugAssign(target, ast.Add(), value)
            for factor in scope.factors:
                for operation in "*", "/":
                    scaled = _expression(f"({ast.unparse(value)}) {operation} {factor}")
                    yield 2, ast.Assign([target], scaled)
        case ast.AugAssign(target, operator, value):
            for other in OTHER_OPERATORS.get(type(operator), ()):
                yield 0, ast.AugAssign(target, other(), value)


def _masked(call: ast.Call, scope: _Scope, *, is_load: bool) -> Iterator[tuple[int, ast.Call]]:
    """Yield the access with one more bound in its mask, or the load with an `other` value."""
    given: dict[Any, Any] = {word.arg: word.value for word in call.keywords}

    def with_words(**more: ast.expr) -> ast.Call:
        words = [ast.keyword(name, value) for name, value in {**given, **more}.items()]
        return ast.Call(call.func, call.args, words)

    others = [{"other": _expression(edge)} for edge in EDGES[::2]] if is_load else []
    if "mask" in given and "other" not in given:
        yield from ((0, with_words(**other)) for other in others)
    for mask in map(_expression, scope.masks):
        if "mask" in given:
            yield 1, with_words(mask=ast.BinOp(given["mask"], ast.BitAnd(), mask))
        else:
            yield from ((1, with_words(mask=mask, **other)) for other in others or [{}])


def _expression(text: str) -> Any:
    return ast.parse(text, mode="eval").body
