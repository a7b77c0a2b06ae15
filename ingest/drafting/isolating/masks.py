"""Replacement of `and` between masks in kernels by `&`, and of `raise` by static assertions.

Triton compiles `rows < m and columns < n` of two blocks as `&`, with a warning. Its interpreter
runs Python, where `and` returns the second mask alone. The kernel then reads beyond its inputs.
"""

from __future__ import annotations

import ast

from curation.source.functions import is_kernel
from curation.source.text import UNREADABLE, Edits, parse, rewrite, walk

SIGNS = {ast.And: "&", ast.Or: "|"}
CONDITIONS = (ast.If, ast.While, ast.IfExp, ast.Assert)


def join_masks(text: str) -> str:
    """Return the module with `&` and `|` instead of `and` and `or` between masks of kernels."""
    # The inner part of a mask of three parts is only replaced in the second round.
    return rewrite(text, _joined, 3) if " and " in text or " or " in text else text


def _joined(text: str) -> str:
    edits = Edits(text)
    for kernel in _kernels(text):
        tests = [node.test for node in walk(kernel) if isinstance(node, CONDITIONS)]
        conditions = {inner for test in tests for inner in walk(test)}
        for node in walk(kernel):
            if isinstance(node, ast.BoolOp) and node not in conditions and _is_mask(node):
                parts = [_in_parentheses(value, edits) for value in node.values]
                edits.put(node, f" {SIGNS[type(node.op)]} ".join(parts))
    return edits.text()


def replace_raises(text: str) -> str:
    """Return the module with static assertions instead of the errors that its kernels raise. Triton
    can't compile `raise`, which is in branches for unsupported dtypes.
    """
    if "raise " not in text or "import triton.language as tl\n" not in text:
        return text
    edits = Edits(text)
    try:
        for node in (node for kernel in _kernels(text) for node in walk(kernel)):
            match node:
                case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) as message])):
                    edits.put(node, f"tl.static_assert(False, {edits.of(message)})")
    except UNREADABLE:
        return text
    return edits.text()


def _kernels(text: str) -> list[ast.FunctionDef]:
    functions = (node for node in parse(text).body if isinstance(node, ast.FunctionDef))
    return [each for each in functions if is_kernel(each)]


def _is_mask(node: ast.expr) -> bool:
    match node:
        case ast.Compare(ops=ops):
            return not any(isinstance(each, ast.Is | ast.IsNot) for each in ops)
        case ast.BoolOp(values=values):
            names = [isinstance(each, ast.Name) and "mask" not in each.id for each in values]
            return all(map(_is_mask, values)) and not all(names)
        case ast.BinOp(op=op):
            return isinstance(op, ast.BitAnd | ast.BitOr)
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return not name.isupper()
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare()):
            return True
    return False


def _in_parentheses(node: ast.expr, edits: Edits) -> str:
    match node:
        case ast.Name():
            return edits.of(node)
        case ast.UnaryOp(operand=operand):
            return f"(({edits.of(operand)}) == 0)"
    return f"({edits.of(node)})"
