"""Outcomes of conditions: in host code as they were recorded, and in kernels as the constant
arguments of all launches decide them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from curation.source.functions import signature, stored_names
from curation.source.text import parse, walk
from validation.observing.edits import Known, Observed
from validation.observing.instrument import inside_kernels, is_kernel

Branch = ast.If | ast.IfExp
COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.eq, ast.IsNot: operator.ne,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
# A kernel with so many different sets of constants, or more, keeps its branches.
CONSTANTS_MOST = 200


def branch_outcomes(name: str, text: str, seen: Observed) -> dict[Branch, set[bool]]:
    """Return the outcomes of the conditions of a text. Those of kernels may be unknown."""
    tree = parse(text)
    kernels, places = inside_kernels(tree), seen["outcomes"][name]
    outcomes = kernel_outcomes(text, seen) if name == "triton_code" else {}
    for node in walk(tree):
        if isinstance(node, Branch) and node not in kernels:
            outcomes[node] = places.get((node.lineno, node.col_offset), set())
    return outcomes


def kernel_outcomes(text: str, seen: Observed) -> dict[Branch, set[bool]]:
    """Return the outcomes of the conditions in kernels that the launches' constants decide."""
    functions = [each for each in parse(text).body if isinstance(each, ast.FunctionDef)]
    kernels = {each.name: each for each in functions if is_kernel(each)}
    shared = {name: ast.literal_eval(value) for name, value in seen["constants"].items() if value}
    outcomes: dict[Branch, set[bool]] = {}
    for name, rows in _constants(kernels, seen["launches"], seen["tuned"]).items():
        own = frozenset(signature(kernels[name].args).names) | _stored(kernels[name])
        outer = {each: value for each, value in shared.items() if each not in own}
        for node in walk(kernels[name]):
            if isinstance(node, Branch):
                values = {_value(node.test, {**outer, **known}) for known in rows}
                if None not in values:
                    outcomes[node] = {bool(each) for each in values}
    return outcomes


def _stored(function: ast.FunctionDef) -> frozenset[str]:
    return frozenset().union(*map(stored_names, function.body))


def _constants(
    kernels: Mapping[str, ast.FunctionDef],
    launches: Mapping[str, list[dict[str, str]]],
    tuned: Mapping[str, list[str]],
) -> dict[str, list[Known]]:
    """Return the known constants of each run of a kernel or of a function that kernels call.

    tuned: names by kernel whose values differ between configurations.
    """
    by_kernel: dict[str, list[Known]] = {}
    pending = [
        (name, {each: ast.literal_eval(value) for each, value in constants.items()})
        for name, rows in launches.items()
        for constants in rows
    ]
    while pending:
        name, values = pending.pop()
        if name not in kernels:
            continue
        kept = {*tuned.get(name, ())} | _rebound(kernels[name])
        moved = _stored(kernels[name])
        # A pointer plus an offset is still a pointer, so the value `...` stays known.
        known = {
            each: value
            for each, value in values.items()
            if each not in kept and (each not in moved or value in (None, ...))
        }
        if known in by_kernel.setdefault(name, []) or len(by_kernel[name]) >= CONSTANTS_MOST:
            continue
        by_kernel[name].append(known)
        for call in walk(kernels[name]):
            match call:
                case ast.Call(func=ast.Name(id=other)) if other in kernels:
                    given = signature(kernels[other].args).bind(call) or {}
                    pending.append((other, dict(_literals(given, known))))
    return {name: rows for name, rows in by_kernel.items() if len(rows) < CONSTANTS_MOST}


def _rebound(kernel: ast.FunctionDef) -> set[str]:
    """Return the names that a kernel assigns to, except by `+=` and similar statements."""
    added = {id(node.target) for node in walk(kernel) if isinstance(node, ast.AugAssign)}
    names = (node for node in walk(kernel) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store) and id(node) not in added}


def _literals(given: Mapping[str, ast.expr], known: Known) -> Iterator[tuple[str, object]]:
    for name, value in given.items():
        match value:
            case ast.Constant(value=constant):
                yield name, constant
            case ast.Name(id=other) if other in known:
                yield name, known[other]


def _value(test: ast.expr, known: Known) -> bool | None:
    """Return a condition's value for known constants, or None if it depends on other values."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _value(operand, known)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            each = [_value(value, known) for value in values]
            if decides in each:
                return decides
            return None if None in each else not decides
    with suppress(KeyError, TypeError, ZeroDivisionError):
        return bool(_operand(test, known))
    return None


def _operand(node: ast.expr, known: Known) -> Any:
    """Return the value of a comparison, name, constant or remainder. Raise KeyError for others."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return known[name]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return COMPARISONS[type(op)](_operand(left, known), _operand(right, known))
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            numbers = _operand(left, known), _operand(right, known)
            if all(isinstance(each, int) for each in numbers):
                return numbers[0] % numbers[1]
    raise KeyError(ast.dump(node))
