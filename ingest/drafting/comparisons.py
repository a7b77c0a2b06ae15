"""Extraction of a test's comparisons, each with its two arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.drafting.statements import COMPARING, walk_statements

PEELED = {
    "detach", "cpu", "float", "double", "half", "bfloat16", "clone", "contiguous", "to", "cuda",
    "item", "numpy", "type", "data",
}  # fmt: skip
"""Methods that prepare an answer for its comparison."""

WIDENING = {"float", "double"}
METHODS = {"allclose", "equal"}
MODULES = {"torch", "np", "numpy", "jnp"}
"""Modules that have functions with the names of these methods."""

OPTIONS = {"rtol", "atol", "tol", "ratio", "msg", "equal_nan", "dtype", "check_dtype", "name",
           "prefix", "err_msg", "verbose", "max_print", "extra_info", "warning"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    left: ast.expr
    right: ast.expr
    before: tuple[ast.stmt, ...]
    """The statements that run before it, in order."""
    conditions: tuple[ast.expr, ...] = ()
    """The conditions under which it is made."""
    call: ast.expr | None = None
    """The call, or the comparison with a limit."""


def find_comparisons(body: Sequence[ast.stmt]) -> Iterator[Comparison]:
    for reached in walk_statements(body):
        if isinstance(reached.statement, ast.FunctionDef | ast.ClassDef):
            continue
        for left, right, call in _compared(reached.statement):
            yield Comparison(left, right, reached.before, reached.conditions, call)


def peel(node: ast.expr) -> tuple[ast.expr, bool]:
    """Return an argument without the methods that prepare it for the comparison, and whether one of
    them widened it.
    """
    widened = False
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in PEELED:
                widened |= attr in WIDENING
                node = value
            case ast.Attribute(value=value, attr="data"):
                node = value
            case _:
                return node, widened


def reads_gradient(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Attribute) and inner.attr == "grad" for inner in ast.walk(node)
    )


def _compared(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if COMPARING.search(name):
                found = [*_receiver(node.func), *_arguments(node)]
                if len(found) >= 2:
                    yield found[0], found[1], node
        elif (
            isinstance(statement, ast.Assert)
            and isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Sub)
            and _is_distance(statement, node)
        ):
            # `(a - b).abs().max() < limit`, in an assertion only.
            yield node.left, node.right, statement.test


def _receiver(called: ast.expr) -> list[ast.expr]:
    """Return the tensor whose method compares it: `expected` of `expected.allclose(actual)`."""
    match called:
        case ast.Attribute(value=value, attr=attr) if attr in METHODS:
            root = ast.unparse(value).partition(".")[0]
            return [] if root in MODULES else [value]
    return []


def _arguments(call: ast.Call) -> list[ast.expr]:
    named = [k.value for k in call.keywords if k.arg is not None and k.arg not in OPTIONS]
    given = [a for a in (*call.args, *named) if not isinstance(a, ast.Starred)]
    return [a for a in given if not isinstance(a, ast.Constant | ast.JoinedStr)]


def _is_distance(statement: ast.Assert, difference: ast.BinOp) -> bool:
    if not isinstance(statement.test, ast.Compare):
        return False
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in {"abs", "norm"}
        and any(inner is difference for inner in ast.walk(node.value))
        for node in ast.walk(statement.test.left)
    )
