"""Removal of switches that the environment sets.

A pair stands alone: it computes as its author's code does where no variable is set. So
`os.environ.get("DEBUG", "0") == "1"` is False, and branches that only a set variable takes go.
Kernels keep their text.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from curation.source.text import Edits, cached, parse, rewrite, walk
from ingest.drafting.dead_branches import take_branch

ROUNDS = 12
READS = {"os.environ.get", "environ.get", "os.getenv", "getenv"}
# Conditions that are True or False, never another value.
BOOLEAN_CALLS = {"torch.cuda.is_available", "hasattr", "isinstance", "bool", "callable"}
TEXT_METHODS = {"lower", "upper", "strip"}
LITERALS = {"True": True, "False": False, "None": None}

Constant = str | int | float | bool | None


class _Unknown(ValueError):
    """The value of an expression is not known."""


@cached
def remove_switches(text: str) -> str:
    """Return the module as it computes where no variable of the environment is set."""
    return rewrite(text, _folded, ROUNDS)


def _folded(text: str) -> str:
    """Return the text after one round."""
    tree = parse(text)
    edits = Edits(text)
    for node in _host_nodes(tree, _is_known):
        if isinstance(node, ast.expr) and _is_known(node):
            edits.put(node, repr(_value(node)))
    if (written := edits.text()) != text:
        return written
    if (written := _without_constant_functions(text, tree)) != text:
        return written
    fold = _Fold(_switches(tree), _booleans(tree), edits)
    for node in _host_nodes(tree):
        fold.fold(node)
    return edits.text()


def _host_nodes(
    tree: ast.Module, is_last: Callable[[ast.AST], bool] = lambda node: False
) -> Iterator[ast.AST]:
    """Yield the nodes outside of kernels, each before those inside of it. The nodes inside of one
    that `is_last` are left out.
    """
    queue: list[ast.AST] = [tree]
    while queue:
        node = queue.pop(0)
        yield node
        for child in ast.iter_child_nodes(node) if not is_last(node) else ():
            kernel = isinstance(child, ast.FunctionDef) and any(
                "jit" in ast.unparse(each) for each in child.decorator_list
            )
            if not kernel:
                queue.append(child)


def _is_known(node: ast.AST) -> bool:
    """Return whether an expression reads the environment and nothing else that is unknown."""
    if not isinstance(node, ast.expr) or not _reads_environment(node):
        return False
    try:
        _value(node)
    except _Unknown:
        return False
    return True


def _reads_environment(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Call) and ast.unparse(each.func) in READS for each in walk(node)
    )


def _value(node: ast.expr) -> Constant:
    """Return the value of an expression of constants and unset variables."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.Call(func=func, args=[ast.Constant(), *rest], keywords=keywords) if (
            ast.unparse(func) in READS
        ):
            given = [*rest, *(each.value for each in keywords)]
            return _value(given[0]) if given else None
        case ast.Call(func=ast.Name(id="eval"), args=[inner], keywords=[]):
            written = _value(inner)
            if written in LITERALS and isinstance(written, str):
                return LITERALS[written]
        case ast.Call(func=ast.Name(id="int"), args=[inner], keywords=[]):
            written = _value(inner)
            if isinstance(written, str | int) and str(written).isdigit():
                return int(written)
        case ast.Call(func=ast.Name(id="bool"), args=[inner], keywords=[]):
            return bool(_value(inner))
        case ast.Call(func=ast.Attribute(value=inner, attr=attr), args=[], keywords=[]) if (
            attr in TEXT_METHODS
        ):
            written = _value(inner)
            if isinstance(written, str):
                return str(getattr(written, attr)())
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _value(left) == _value(right)
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            return _value(left) != _value(right)
        case ast.Compare(
            left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[container]
        ) if isinstance(container, ast.Tuple | ast.List | ast.Set):
            held = _value(left) in [_value(each) for each in container.elts]
            return held == isinstance(op, ast.In)
    raise _Unknown


def _without_constant_functions(text: str, tree: ast.Module) -> str:
    """Return the text that assigns the values of functions which return constants."""
    edits = Edits(text)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for statement in tree.body:
        match statement:
            case ast.Assign(
                targets=[target], value=ast.Call(func=ast.Name(id=name), args=[], keywords=[])
            ) if name in functions:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                try:
                    values = _returned(functions[name])
                except _Unknown:
                    continue
                if len(values) == len(names):
                    edits.put(
                        statement,
                        "\n".join(
                            f"{edits.of(each)} = {value!r}"
                            for each, value in zip(names, values, strict=True)
                        ),
                    )
    return edits.text()


def _returned(function: ast.FunctionDef) -> list[Constant]:
    """Return the values of a function without parameters, which holds only constants."""
    a = function.args
    if a.args or a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg:
        raise _Unknown
    local: dict[str, Constant] = {}

    def value(node: ast.expr) -> Constant:
        return local[node.id] if isinstance(node, ast.Name) and node.id in local else _value(node)

    queue: list[ast.stmt] = list(function.body)
    while queue:
        match queue.pop(0):
            case ast.Assign(targets=[ast.Name(id=name)], value=assigned):
                local[name] = value(assigned)
            case ast.If(test=test, body=body, orelse=orelse):
                queue = [*(body if value(test) else orelse), *queue]
            case ast.Return(value=ast.Tuple(elts=elements)):
                return [value(each) for each in elements]
            case ast.Return(value=ast.expr() as answer):
                return [value(answer)]
            case _:
                raise _Unknown
    raise _Unknown


def _switches(tree: ast.Module) -> dict[str, bool]:
    """Return the names that the module binds once, to True or False."""
    stores = Counter(
        node.id
        for node in walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    parameters = {node.arg for node in walk(tree) if isinstance(node, ast.arg)}
    return {
        name: value
        for statement in tree.body
        for name, value in _bound(statement)
        if stores[name] == 1 and name not in parameters
    }


def _bound(statement: ast.stmt) -> Iterator[tuple[str, bool]]:
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=bool() as value))
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=bool() as value))
        ):
            yield name, value


def _booleans(tree: ast.Module) -> set[str]:
    """Return the names that the module binds once, to a condition."""
    names = Counter(
        node.id
        for node in walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    booleans: set[str] = set()
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if names[
                name
            ] == 1 and _is_boolean(value, booleans):
                booleans.add(name)
    return booleans


def _is_boolean(node: ast.expr, booleans: set[str]) -> bool:
    """Return whether a condition is True or False, never another value."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.Name(id=name):
            return name in booleans
        case ast.Call(func=func):
            return ast.unparse(func) in BOOLEAN_CALLS
        case ast.BoolOp(values=values):
            return all(_is_boolean(each, booleans) for each in values)
    return False


@dataclass(frozen=True, slots=True)
class _Fold:
    """Removal of the code that known switches exclude."""

    known: Mapping[str, bool]
    booleans: set[str]
    edits: Edits

    def fold(self, node: ast.AST) -> None:
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            for statement in block if isinstance(block, list) else ():
                if isinstance(statement, ast.If):
                    self._fold_branch(statement, alone=len(block or ()) == 1)
        match node:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                taken = self._truth(test)
                if taken is not None:
                    self.edits.put(node, self.edits.of(body if taken else orelse))
            case ast.Assign(targets=[target], value=ast.BoolOp() as value) if self._is_false(value):
                self.edits.put(node, f"{self.edits.of(target)} = False")
            case ast.BoolOp() if self._is_false(node):
                self.edits.put(node, "False")

    def _fold_branch(self, statement: ast.If, *, alone: bool) -> None:
        taken = self._truth(statement.test)
        if taken is None:
            return
        kept = statement.body if taken else statement.orelse
        take_branch(statement, kept, self.edits, alone=alone)
        self.edits.drop_comments(statement)

    def _truth(self, test: ast.expr) -> bool | None:
        """Return the value of a condition that only switches decide, or None."""
        match test:
            case ast.Constant(value=bool() | None as value):
                return bool(value)
            case ast.Name(id=name):
                return self.known.get(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                value = self._truth(operand)
                return None if value is None else not value
        return None

    def _is_false(self, node: ast.BoolOp) -> bool:
        truths = [self._truth(each) for each in node.values]
        return (
            isinstance(node.op, ast.And)
            and False in truths
            and all(_is_boolean(each, self.booleans) for each in node.values[: truths.index(False)])
        )
