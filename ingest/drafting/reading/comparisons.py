"""Extraction of a test's comparisons, each with its two arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.drafting.reading.statements import COMPARING, walk_statements

PEELED = {
    "detach", "cpu", "float", "double", "half", "bfloat16", "clone", "contiguous", "to", "cuda",
    "item", "numpy", "type", "data",
}  # fmt: skip
"""Methods that only prepare a result for the comparison."""

METHODS = {"allclose", "equal"}
MEASURES = re.compile(r"err|diff|dist|mse|rel_", re.I)
"""Names of functions that measure the distance of two tensors. Lower limits, as on a
signal-to-noise ratio, are not read: they accept errors that a pair may not have.
"""

WORST = re.compile(r"\b(max|amax|mean|norm|item)\(")
"""Functions that reduce the elements of a tensor of distances to one number."""

DISTANCES = {"abs", "norm", "square", "pow"}
REDUCTIONS = {"all", "sum", "any", "count_nonzero"}
FORMS = {"shape", "size", "dtype", "device", "ndim", "dim", "numel", "stride", "len"}
SHOWING = {"print", "info"}
MODULES = {"torch", "np", "numpy", "jnp"}
"""Modules with functions that have the same names as these methods."""

OPTIONS = {"rtol", "atol", "tol", "ratio", "msg", "equal_nan", "dtype", "check_dtype", "name",
           "prefix", "err_msg", "verbose", "max_print", "extra_info", "warning"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TestedEquality:
    left: ast.expr
    right: ast.expr
    before: tuple[ast.stmt, ...]
    """The statements that run before the comparison, in order."""
    conditions: tuple[ast.expr, ...] = ()
    """The conditions under which the comparison runs."""
    call: ast.expr | None = None
    """The call that compares, or the comparison with a limit."""
    turning: frozenset[str] = frozenset()
    """The names that the loops around the comparison bind."""


def find_comparisons(body: Sequence[ast.stmt]) -> Iterator[TestedEquality]:
    for reached in walk_statements(body):
        if isinstance(reached.statement, ast.FunctionDef | ast.ClassDef):
            continue
        found = _compared(reached.statement, reached.before)
        for left, right, call in dict.fromkeys(found):
            yield TestedEquality(
                left, right, reached.before, reached.conditions, call, reached.turning
            )


def is_named_comparison(comparison: TestedEquality) -> bool:
    """Return whether a comparison is a call of a function that is named like a comparison."""
    call = comparison.call
    return isinstance(call, ast.Call) and bool(COMPARING.search(_last_name(call.func)))


def peel(node: ast.expr) -> ast.expr:
    """Return an argument without the methods that only prepare it for the comparison."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in PEELED:
                node = value
            case ast.Attribute(value=value, attr="data"):
                node = value
            case _:
                return node


def order_answers(before: Sequence[ast.stmt], answers: Sequence[ast.expr]) -> list[int]:
    """Return the indices of compared results in the order in which a launcher returns them."""
    places = list(range(len(answers)))
    names = [answer.id for answer in answers if isinstance(answer, ast.Name)]
    if len(names) != len(answers):
        return places
    for statement in reversed(before):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call()):
                bound = [target.id for target in targets if isinstance(target, ast.Name)]
                if set(names) <= set(bound):
                    return sorted(places, key=lambda place: bound.index(names[place]))
    return places


def reads_gradient(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Attribute) and inner.attr == "grad" for inner in ast.walk(node)
    )


Compared = tuple[ast.expr, ast.expr, ast.expr]


def _compared(statement: ast.stmt, before: Sequence[ast.stmt]) -> Iterator[Compared]:
    judged = _judged(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and COMPARING.search(_last_name(node.func)):
            found = [*_receiver(node.func), *_arguments(node)]
            if len(found) >= 2 and not any(map(_tells_form, found[:2])):
                yield found[0], found[1], node
    for test in judged:
        for left, right in _apart(test, before):
            yield left, right, test


def _judged(statement: ast.stmt) -> list[ast.expr]:
    """Return the conditions that a statement asserts, or the values that it prints."""
    match statement:
        case ast.Assert(test=test):
            return [test]
        case ast.Expr(value=ast.Call(func=func, args=args)) if _last_name(func) in SHOWING:
            parts = [part for arg in args for part in ast.walk(arg)]
            return [part for part in parts if isinstance(part, ast.Call) and not _is_shown(part)]
        case ast.Assign(value=value) if WORST.search(ast.unparse(value)):
            return [value]
    return []


def _is_shown(call: ast.Call) -> bool:
    return _last_name(call.func) in SHOWING


def _apart(
    test: ast.expr, before: Sequence[ast.stmt], resolved: bool = False
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the two tensors whose distance an expression checks: `(a - b).abs().max() < limit`,
    `relative_error(a, b) < limit`, `(a == b).all()`, or a name that is bound to such a distance.
    """
    for node in ast.walk(test):
        match node:
            case ast.BinOp(left=left, op=ast.Sub(), right=right) if _is_distance(test, node):
                yield left, right
            case ast.Call(func=ast.Attribute(attr="eq" | "ne"), args=[left, right]):
                yield left, right
            case ast.Call(func=func) if MEASURES.search(_last_name(func)):
                found = _arguments(node)
                if len(found) >= 2 and (resolved or _is_limited(test)):
                    yield found[0], found[1]
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                if _is_reduced(test, node):
                    yield left, right
            case ast.Name(id=name) if not resolved and _is_limited(test):
                bound = _last_binding(before, name)
                if bound is not None:
                    yield from _apart(bound, before, resolved=True)


def _is_limited(test: ast.expr) -> bool:
    """Return whether an expression requires that a value is small."""
    return any(
        isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE)
        for node in ast.walk(test)
    )


def _last_binding(before: Sequence[ast.stmt], name: str) -> ast.expr | None:
    for statement in reversed(before):
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return value
    return None


def _is_distance(test: ast.expr, difference: ast.BinOp) -> bool:
    """Return whether a test takes the absolute value or the norm of a difference."""
    for node in ast.walk(test):
        match node:
            case ast.Attribute(value=value, attr=attr) if attr in DISTANCES:
                around: list[ast.expr] = [value]
            case ast.Call(func=func, args=args) if _last_name(func) in DISTANCES:
                around = args
            case ast.BinOp(left=left, op=ast.Pow()):
                around = [left]
            case _:
                continue
        if any(inner is difference for each in around for inner in ast.walk(each)):
            return True
    return False


def _is_reduced(test: ast.expr, compared: ast.Compare) -> bool:
    """Return whether an element-wise comparison is reduced to one value: `(a == b).all()`."""
    for node in ast.walk(test):
        match node:
            case ast.Attribute(value=value, attr=attr) if attr in REDUCTIONS and value is compared:
                return True
            case ast.Call(func=ast.Attribute(attr=attr), args=[value, *_]) if attr in REDUCTIONS:
                if value is compared:
                    return True
    return False


def _tells_form(node: ast.expr) -> bool:
    """Return whether an expression depends on a tensor's shape or dtype and not on its values."""
    if isinstance(node, ast.Call):
        return _last_name(node.func) in FORMS
    return isinstance(node, ast.Attribute) and node.attr in FORMS


def _last_name(called: ast.expr) -> str:
    return ast.unparse(called).rpartition(".")[2]


def _receiver(called: ast.expr) -> list[ast.expr]:
    """Return the tensor whose method compares: `expected` in `expected.allclose(actual)`."""
    match called:
        case ast.Attribute(value=value, attr=attr) if attr in METHODS:
            root = ast.unparse(value).partition(".")[0]
            return [] if root in MODULES else [value]
    return []


def _arguments(call: ast.Call) -> list[ast.expr]:
    named = [k.value for k in call.keywords if k.arg is not None and k.arg not in OPTIONS]
    given = [a for a in (*call.args, *named) if not isinstance(a, ast.Starred)]
    return [a for a in given if not isinstance(a, ast.Constant | ast.JoinedStr)]
