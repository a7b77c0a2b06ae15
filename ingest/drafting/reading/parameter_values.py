"""Evaluation of the plain values of a test's parameters, without running the test.

A value that is not plain (a class, a function, a computed value) becomes an `Opaque` expression.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ingest.drafting.reading.bounded import MOST_ITEMS, NotPlain, compute, count_leaves

MOST_STEPS = 200_000

DTYPES = {
    "float32": "float32", "float": "float32", "float16": "float16", "half": "float16",
    "bfloat16": "bfloat16", "float64": "float64", "double": "float64", "int8": "int8",
    "int16": "int16", "int32": "int32", "int": "int32", "int64": "int64", "long": "int64",
    "uint8": "uint8", "bool": "bool", "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2", "float8_e4m3fnuz": "float8_e4m3fnuz",
}  # fmt: skip

COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


@dataclass(frozen=True, slots=True)
class DtypeName:
    """A torch dtype, represented by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """The source of an expression whose value is not plain."""

    source: str


@dataclass(frozen=True, slots=True)
class NamedValue:
    """The value of a module-level name. `lookup` finds the names in the value in its own file."""

    node: ast.expr | ast.FunctionDef
    lookup: Lookup


Lookup = Callable[[str], NamedValue | None]


class Evaluator:
    """Evaluator of expressions. `lookup` returns the value of a module-level name, or None."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._steps = 0
        self._open: set[int] = set()
        """Bindings that are being evaluated now. A binding may depend on itself."""

    def value(self, node: ast.expr, names: Mapping[str, Any] | None = None) -> Any:
        """Return the value of an expression. Raises NotPlain if it is unknown."""
        self._steps = 0
        self._open.clear()
        try:
            return self._value(node, names or {})
        except (TypeError, ValueError, KeyError, IndexError, ArithmeticError, AttributeError) as e:
            raise NotPlain(str(e)) from e

    def meant(self, node: ast.expr) -> ast.expr | None:
        """Return the expression that a name is bound to, or None."""
        if not isinstance(node, ast.Name):
            return node
        found = self._lookup(node.id)
        return found.node if found is not None and isinstance(found.node, ast.expr) else None

    def _value(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        self._step(1)
        value = self._meaning(node, names)
        if isinstance(value, list | tuple | dict):
            self._step(count_leaves(value))
        return value

    def _meaning(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._named(name, names)
            case ast.Attribute(value=ast.Name(id="torch"), attr=attr) if attr in DTYPES:
                return DtypeName(DTYPES[attr])
            case ast.Attribute():
                return Opaque(ast.unparse(node))
            case ast.Tuple(elts=elts):
                return tuple(self._items(elts, names))
            case ast.List(elts=elts) | ast.Set(elts=elts):
                return self._items(elts, names)
            case ast.Dict(keys=keys, values=values):
                return {
                    self._value(k, names): self._value(v, names)
                    for k, v in zip(keys, values, strict=True)
                    if k is not None
                }
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._plain(operand, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._plain(operand, names)
            case ast.BinOp():
                return self._binary(node, names)
            case ast.BoolOp(op=op, values=values):
                return self._bool(op, values, names)
            case ast.Compare():
                return self._compare(node, names)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._either(test, body, orelse, names)
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(node, names)
            case ast.Call():
                return self._call(node, names)
            case ast.Subscript(value=value, slice=index):
                return self._plain(value, names)[self._plain(index, names)]
        raise NotPlain(ast.unparse(node))

    def _step(self, count: int) -> None:
        self._steps += count
        if self._steps > MOST_STEPS:
            raise NotPlain("It takes too many steps.")

    def _plain(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        value = self._value(node, names)
        if isinstance(value, Opaque):
            raise NotPlain(value.source)
        return value

    def _items(self, elts: Sequence[ast.expr], names: Mapping[str, Any]) -> list[Any]:
        items: list[Any] = []
        for elt in elts:
            if isinstance(elt, ast.Starred):
                items = compute(ast.Add, items, list(self._plain(elt.value, names)))
            else:
                try:
                    items.append(self._value(elt, names))
                except NotPlain:
                    items.append(Opaque(ast.unparse(elt)))
        return items

    def _named(self, name: str, names: Mapping[str, Any]) -> Any:
        if name in names:
            return names[name]
        bound = self._lookup(name)
        if bound is not None and isinstance(bound.node, ast.expr):
            with self._inside(bound):
                value = self._value(bound.node, {})
            if not isinstance(value, Opaque):
                return value
        return Opaque(name)

    @contextmanager
    def _inside(self, bound: NamedValue) -> Iterator[None]:
        """Look up names in the scope of a binding while this context is active."""
        if id(bound.node) in self._open:
            raise NotPlain("It is bound to itself.")
        outside = self._lookup
        self._lookup = bound.lookup
        self._open.add(id(bound.node))
        try:
            yield
        finally:
            self._lookup = outside
            self._open.discard(id(bound.node))

    def _binary(self, node: ast.BinOp, names: Mapping[str, Any]) -> Any:
        return compute(type(node.op), self._plain(node.left, names), self._plain(node.right, names))

    def _bool(self, op: ast.boolop, values: Sequence[ast.expr], names: Mapping[str, Any]) -> Any:
        stops = isinstance(op, ast.Or)
        value: Any = None
        for part in values:
            value = self._plain(part, names)
            if bool(value) is stops:
                return value
        return value

    def _compare(self, node: ast.Compare, names: Mapping[str, Any]) -> bool:
        left = self._plain(node.left, names)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self._plain(part, names)
            if not COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def _either(
        self, test: ast.expr, body: ast.expr, orelse: ast.expr, names: Mapping[str, Any]
    ) -> Any:
        """Return the value that a condition chooses. If the condition is unknown and both values
        are lists, return the longer list.
        """
        try:
            return self._value(body if self._plain(test, names) else orelse, names)
        except NotPlain:
            either = [self._value(part, names) for part in (body, orelse)]
            if all(isinstance(value, list | tuple) for value in either):
                return max(either, key=len)
            raise

    def _comprehension(
        self, node: ast.ListComp | ast.GeneratorExp, names: Mapping[str, Any]
    ) -> list[Any]:
        rows: list[dict[str, Any]] = [dict(names)]
        for loop in node.generators:
            grown: list[dict[str, Any]] = []
            for row in rows:
                for item in self._plain(loop.iter, row):
                    inner = {**row, **_bound(loop.target, item)}
                    if all(self._plain(condition, inner) for condition in loop.ifs):
                        grown.append(inner)
                    if len(grown) > MOST_ITEMS:
                        raise NotPlain("It is too long.")
            rows = grown
        return [self._value(node.elt, row) for row in rows]

    def _call(self, node: ast.Call, names: Mapping[str, Any]) -> Any:
        name = ast.unparse(node.func)
        arguments = self._items(node.args, names)
        match name.rpartition(".")[2]:
            case "param" if name in {"pytest.param", "param"}:
                return arguments[0] if len(arguments) == 1 else tuple(arguments)
            case "product":
                return list(itertools.islice(itertools.product(*arguments), MOST_ITEMS))
            case "range":
                made_range = range(*arguments)
                return list(made_range[:MOST_ITEMS])
            case "list" | "tuple" | "sorted" | "set":
                return list(arguments[0]) if arguments else []
            case "zip":
                return list(zip(*arguments, strict=False))
            case "len" | "int" | "float" | "max" | "min" | "abs":
                called = {"len": len, "int": int, "float": float, "max": max, "min": min}
                return called.get(name, abs)(*arguments)  # type: ignore[operator]
        bound = self._lookup(name)
        if bound is not None and isinstance(bound.node, ast.FunctionDef) and not node.keywords:
            with self._inside(bound):
                return self._function(bound.node, arguments)
        return Opaque(ast.unparse(node))

    def _function(self, function: ast.FunctionDef, arguments: Sequence[Any]) -> Any:
        """Evaluate a function that only builds a list by assignments, additions and a return."""
        parameters = [a.arg for a in function.args.args]
        names: dict[str, Any] = dict(zip(parameters, arguments, strict=False))
        for statement in function.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    names[name] = self._value(value, names)
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                    names[name] = compute(ast.Add, names[name], self._value(value, names))
                case ast.Return(value=ast.expr() as value):
                    return self._value(value, names)
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    raise NotPlain(f"What {function.name} returns.")
        raise NotPlain(f"What {function.name} returns.")


def _bound(target: ast.expr, item: Any) -> dict[str, Any]:
    if isinstance(target, ast.Name):
        return {target.id: item}
    if isinstance(target, ast.Tuple | ast.List):
        parts = list(item)
        if len(parts) != len(target.elts):
            raise NotPlain("An unequal number of parts.")
        return {
            k: v for t, p in zip(target.elts, parts, strict=True) for k, v in _bound(t, p).items()
        }
    raise NotPlain(ast.unparse(target))
