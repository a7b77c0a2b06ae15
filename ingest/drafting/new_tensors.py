"""Calls that return a new tensor, in place of calls that write to one."""

from __future__ import annotations

import ast

from curation.source.text import Edits

# A docstring and a `return`.
MOST_STATEMENTS = 2
# Methods in place that have no other form.
KEPT = {"requires_grad", "normal", "uniform", "random", "fill", "zero", "copy"}


def without_writing(function: ast.FunctionDef, edits: Edits, test: str) -> bool:
    """Call the function that returns a new tensor: `torch.exp_(x)` is `torch.exp(x)`, and
    `x.double().add_(y)` is `x.double().add(y)`, where a value is only returned.
    """
    match function.body[-1]:
        case ast.Return(value=ast.expr() as node) if len(function.body) <= MOST_STATEMENTS:
            pass
        case _:
            return False
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        of_torch = isinstance(inner, ast.Name) and inner.id == "torch"
        plain = node.func.attr.removesuffix("_")
        fresh = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)
        if plain != node.func.attr and plain not in KEPT and (of_torch or fresh):
            edits.replace(edits.end(node.func) - 1, edits.end(node.func), "")
            if isinstance(inner, ast.Call) and ast.unparse(inner).endswith(".clone()"):
                edits.replace(edits.end(inner) - len(".clone()"), edits.end(inner), "")
            return True
        if not isinstance(inner, ast.Call):
            return False
        node = inner
    return False
