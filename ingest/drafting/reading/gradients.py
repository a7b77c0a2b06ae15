"""Search for the results whose gradients a test compares, in tests that compare only gradients."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from curation.source.functions import loaded_names
from ingest.drafting.reading.comparisons import peel, reads_gradient
from ingest.drafting.reading.statements import find_effects

REDUCTIONS = {"sum", "mean"}


def find_answer(argument: ast.expr, before: Sequence[ast.stmt]) -> ast.expr | None:
    """Return the result whose gradient is an argument of a comparison, or None.

    `before`: the statements before the comparison.
    """
    node = peel(argument)
    place = len(before)
    while isinstance(node, ast.Name):
        place, value = _last_value(node.id, before[:place])
        if value is None:
            return None
        node = peel(value)
    match node:
        case ast.Call(func=ast.Attribute(attr="grad"), args=[answer, *_]):
            # `torch.autograd.grad(answer, inputs, upstream)`
            return _behind(answer, before[:place])
    if not reads_gradient(node):
        return None
    for number in range(place - 1, -1, -1):
        match before[number]:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=answer, attr="backward"))):
                if _reached(answer, before[:number]) & _owners(node):
                    return _behind(answer, before[:number])
    return None


def _owners(gradient: ast.expr) -> set[str]:
    """Return the names of those tensors whose `.grad` is read."""
    read = [n for n in ast.walk(gradient) if isinstance(n, ast.Attribute) and n.attr == "grad"]
    return {name for each in read for name in loaded_names(each)}


def _reached(answer: ast.expr, before: Sequence[ast.stmt]) -> set[str]:
    """Return the names through which a result's gradient flows. It stops at detached copies."""
    reached = set(loaded_names(answer))
    for statement in reversed(before):
        effect = find_effects(statement)
        if effect.binds & reached and "detach" not in ast.unparse(statement):
            reached |= effect.uses
    return reached


def _behind(node: ast.expr, before: Sequence[ast.stmt]) -> ast.expr | None:
    """Return the result that was reduced to a scalar: `y` for `(y * upstream).sum()`."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[]) if attr in REDUCTIONS:
            return _behind(value, before)
        case ast.Call(func=ast.Attribute(attr=attr), args=[value]) if attr in REDUCTIONS:
            return _behind(value, before)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Add()):
            return _behind(left, before)
        case ast.Name(id=name):
            place, bound = _last_value(name, before)
            reduced = _behind(bound, before[:place]) if isinstance(bound, ast.Call) else None
            return reduced if isinstance(reduced, ast.Name) and _is_reduced(bound) else node
    return None


def _is_reduced(value: ast.expr | None) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in REDUCTIONS
    return False


def _last_value(name: str, before: Sequence[ast.stmt]) -> tuple[int, ast.expr | None]:
    """Return the index of the last statement that binds a name, and the value."""
    for number in range(len(before) - 1, -1, -1):
        match before[number]:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return number, value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                for place, target in enumerate(targets):
                    if isinstance(target, ast.Name) and target.id == name:
                        if isinstance(value, ast.Tuple) and len(value.elts) == len(targets):
                            return number, value.elts[place]
                        return number, value
    return 0, None
