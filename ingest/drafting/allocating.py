"""Estimate of the elements that a draft's `make_inputs` allocates, by its text alone."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from curation.source.functions import signature
from ingest.drafting.bounded import NotPlain
from ingest.drafting.parameter_values import Evaluator, NamedValue, Opaque

# Functions whose arguments are a shape, and the place where the shape begins.
SHAPED = {"rand": 0, "randn": 0, "empty": 0, "zeros": 0, "ones": 0, "full": 0, "randint": 2,
          "normal": 2, "new_empty": 0, "new_zeros": 0, "new_ones": 0, "new_full": 0,
          "Linear": 0, "Embedding": 0}  # fmt: skip
COUNTED = {"arange", "randperm"}
ALIKE = {"rand_like", "randn_like", "empty_like", "zeros_like", "ones_like", "full_like", "clone"}
OF_TORCH = {"torch", "nn"}
MOST_TURNS = 64
# Bounds nested loops and calls. A `make_inputs` has a few dozen statements.
MOST_STEPS = 3_000
MATTERS = 2**16
"""Elements of an allocation whose last axis is worth keeping."""

# Stands for the elements of an allocation that would be empty.
EMPTY = 2**60

Names = dict[str, Any]


class Allocating:
    """The functions of a module, whose allocations are counted for given arguments."""

    def __init__(self, tree: ast.Module) -> None:
        self._functions: dict[str, ast.FunctionDef] = {}
        self._globals: dict[str, ast.expr] = {}
        for node in tree.body:
            match node:
                case ast.FunctionDef(name=name):
                    self._functions[name] = node
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._globals[name] = value
        self.evaluator = Evaluator(self._lookup)
        self._open: list[str] = []
        self._steps = 0
        self._tensors: dict[str, int] = {}
        self.last: set[int] = set()
        """The sizes that were the last of several axes of a large allocation."""

    def _lookup(self, name: str) -> NamedValue | None:
        node = self._globals.get(name)
        return NamedValue(node, self._lookup) if node is not None else None

    def elements(self, function: str, names: Mapping[str, Any]) -> int:
        """Return the number of elements that a function allocates. An unknown size counts zero, and
        an empty allocation more than any other.
        """
        self._open.clear()
        self._tensors.clear()
        self._steps = 0
        return self._block(self._functions[function].body, dict(names))

    def _block(self, statements: Sequence[ast.stmt], names: Names) -> int:
        return sum(self._statement(statement, names) for statement in statements)

    def _statement(self, statement: ast.stmt, names: Names) -> int:
        self._steps += 1
        if self._steps > MOST_STEPS:
            return 0
        match statement:
            case ast.FunctionDef(name=name):
                self._functions[name] = statement
                return 0
            case ast.Assign(targets=[target], value=value):
                count = self._expression(value, names)
                self._bind(target, value, names)
                if isinstance(target, ast.Name):
                    self._tensors[target.id] = count
                return count
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                read = ast.Name(target.id, ast.Load())
                self._bind(target, ast.BinOp(read, op, value), names)
                return self._expression(value, names)
            case ast.With(body=body):
                return self._block(body, names)
            case ast.If(test=test, body=body, orelse=orelse):
                try:
                    return self._block(body if self._value(test, names) else orelse, names)
                except NotPlain:
                    return max(self._block(body, names), self._block(orelse, names))
            case ast.For(target=target, iter=iterated, body=body):
                count = 0
                for bound in self._turns(target, iterated, names):
                    names.update(bound)
                    count += self._block(body, names)
                return count
        return sum(
            self._expression(node, names)
            for node in ast.iter_child_nodes(statement)
            if isinstance(node, ast.expr)
        )

    def _expression(self, node: ast.expr, names: Names) -> int:
        match node:
            case (
                ast.ListComp(elt=elt, generators=[loop])
                | ast.GeneratorExp(elt=elt, generators=[loop])
            ):
                turns = self._turns(loop.target, loop.iter, names)
                return sum(self._expression(elt, {**names, **turn}) for turn in turns)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                try:
                    return self._expression(body if self._value(test, names) else orelse, names)
                except NotPlain:
                    return max(self._expression(body, names), self._expression(orelse, names))
            case ast.Lambda():
                return 0
        inner = sum(self._expression(part, names) for part in _parts(node))
        return inner + (self._call(node, names) if isinstance(node, ast.Call) else 0)

    def _call(self, call: ast.Call, names: Names) -> int:
        match call.func:
            case ast.Name(id=name):
                return self._of_our_own(name, call, names)
            case ast.Attribute(value=value, attr=attr):
                if attr in ALIKE:
                    of = value if attr == "clone" else next(iter(call.args), value)
                    return self._tensors.get(of.id, 0) if isinstance(of, ast.Name) else 0
                root = ast.unparse(value).partition(".")[0]
                if attr in COUNTED and root in OF_TORCH:
                    return self._product(call.args[-1:], names)
                if attr in SHAPED and (root in OF_TORCH or attr.startswith("new_")):
                    sizes = [k.value for k in call.keywords if k.arg == "size"]
                    return self._shape(sizes or call.args[SHAPED[attr] :], names)
        return 0

    def _shape(self, arguments: Sequence[ast.expr], names: Names) -> int:
        """Return the elements of a shape that is one argument, or one argument an axis."""
        if len(arguments) > 1 and isinstance(arguments[0], ast.Tuple | ast.List):
            arguments = arguments[:1]
        return self._product(arguments, names)

    def _product(self, arguments: Sequence[ast.expr], names: Names) -> int:
        count = 1
        try:
            values = self._value(ast.Tuple([*arguments], ast.Load()), names)
        except NotPlain:
            return 0
        if len(values) == 1 and isinstance(values[0], list | tuple):
            values = values[0]
        for value in values:
            if type(value) is not int:
                return 0
            count *= max(value, 0)
        if len(values) > 1 and count >= MATTERS:
            self.last.add(values[-1])
        return (count or EMPTY) if values else 0

    def _of_our_own(self, name: str, call: ast.Call, names: Names) -> int:
        """Return the elements that a function of the module allocates in a call."""
        function = self._functions.get(name)
        if function is None or name in self._open:
            return 0
        takes = signature(function.args)
        given = {**takes.defaults, **takes.given(call)}
        inner: Names = {}
        for parameter, value in given.items():
            self._bind(ast.Name(parameter, ast.Store()), value, inner, names)
        self._open.append(name)
        outside, self._tensors = self._tensors, {}
        count = self._block(function.body, inner)
        self._tensors = outside
        self._open.pop()
        return count

    def _turns(self, target: ast.expr, iterated: ast.expr, names: Names) -> list[Names]:
        """Return what each turn of a loop binds, one turn if they are unknown."""
        try:
            items = self._value(iterated, names)
        except NotPlain:
            return [{}]
        if not isinstance(items, list | tuple):
            return [{}]
        turns: list[Names] = []
        for item in items[:MOST_TURNS]:
            if isinstance(target, ast.Name):
                turns.append({target.id: item})
            elif isinstance(target, ast.Tuple) and isinstance(item, list | tuple):
                bound = zip(target.elts, item, strict=False)
                turns.append({part.id: one for part, one in bound if isinstance(part, ast.Name)})
            else:
                turns.append({})
        return turns

    def _bind(
        self, target: ast.expr, value: ast.expr, names: Names, seen: Names | None = None
    ) -> None:
        """Bind a target to a plain value, or forget its name if the value is unknown."""
        match target:
            case ast.Name(id=name):
                try:
                    names[name] = self._value(value, names if seen is None else seen)
                except NotPlain:
                    names.pop(name, None)
            case ast.Tuple(elts=targets):
                parts: list[ast.expr] = [
                    value.elts[n]
                    if isinstance(value, ast.Tuple) and len(value.elts) == len(targets)
                    else ast.Subscript(value, ast.Constant(n), ast.Load())
                    for n in range(len(targets))
                ]
                before = dict(names)
                for each, part in zip(targets, parts, strict=True):
                    self._bind(each, part, names, before)

    def _value(self, node: ast.expr, names: Names) -> Any:
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="torch"), dtype]):
                node = dtype
        value = self.evaluator.value(node, names)
        if isinstance(value, Opaque):
            raise NotPlain(value.source)
        return value


def _parts(node: ast.expr) -> list[ast.expr]:
    parts: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword):
            parts.append(child.value)
        elif isinstance(child, ast.expr):
            parts.append(child)
    return parts
