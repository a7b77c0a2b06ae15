"""Branches of kernels that are decided by the constant arguments of all launches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from curation.source.branches import blocks
from curation.source.functions import signature, stored_names
from curation.source.text import parse, walk
from validation.observing.edits import (
    Change,
    Known,
    Observed,
    Texts,
    change_of,
    is_about_sizes,
    parted,
    putting,
    taking,
)
from validation.observing.instrument import is_kernel

# A kernel with so many different sets of constants, or more, keeps its branches.
CONSTANTS_MOST = 200


def kernel_branches(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Replace a condition in kernels by its branch, if all launches take the same branch."""
    text = texts["triton_code"]
    tree = parse(text)
    kernels = {
        each.name: each
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and is_kernel(each)
    }
    for name, constants in _constants(kernels, seen["launches"], _varied_names(tree)).items():
        for block in blocks(kernels[name]):
            for node in block:
                if isinstance(node, ast.If) and (outcome := _outcome(node.test, constants)):
                    kept, _ = parted(node, outcome == {True})
                    yield change_of("triton_code", text, taking(node, kept, alone=len(block) == 1))
        for expression in walk(kernels[name]):
            if isinstance(expression, ast.IfExp) and (
                outcome := _outcome(expression.test, constants)
            ):
                chosen = expression.body if outcome == {True} else expression.orelse
                yield change_of("triton_code", text, putting(expression, chosen))


def _constants(
    kernels: Mapping[str, ast.FunctionDef],
    launches: Mapping[str, list[dict[str, str]]],
    varied: set[str],
) -> dict[str, list[Known]]:
    """Return the known constants of each run of a kernel or of a function that kernels call."""
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
        kept = varied | _rebound(kernels[name])
        moved = frozenset().union(*map(stored_names, kernels[name].body))
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


def _outcome(test: ast.expr, constants: Sequence[Known]) -> set[bool]:
    """Return the outcome of a kernel's condition if it is always the same, or an empty set."""
    outcomes = {_value(test, known) for known in constants}
    return (
        {bool(each) for each in outcomes} if len(outcomes) == 1 and None not in outcomes else set()
    )


def _value(test: ast.expr, known: Known) -> bool | None:
    """Return a condition's value for known constants, or None if it depends on other values."""
    match test:
        case ast.Constant(value=bool(value)):
            return value
        case ast.Name(id=name) if isinstance(known.get(name, 0), bool | str | None):
            return bool(known[name])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _value(operand, known)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            each = [_value(value, known) for value in values]
            if decides in each:
                return decides
            return None if None in each else not decides
        case ast.Compare(
            left=ast.Name(id=name),
            ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() as op],
            comparators=[ast.Constant(value=other)],
        ) if name in known:
            return (known[name] == other) == isinstance(op, ast.Eq | ast.Is)
    return None


def _varied_names(tree: ast.Module) -> set[str]:
    """Return the names that a configuration sets, or whose values depend on sizes or layouts."""
    varied: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="Config"), args=[ast.Dict(keys=keys), *_]):
                varied |= {str(key.value) for key in keys if isinstance(key, ast.Constant)}
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                varied |= {
                    str(key.value)
                    for key, value in pairs
                    if isinstance(key, ast.Constant) and is_about_sizes(value)
                }
            case ast.keyword(arg=str(name), value=value) if is_about_sizes(value):
                varied.add(name)
    return varied
