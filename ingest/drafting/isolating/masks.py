"""Conjunctions of masks by `&` in kernels, and static assertions in place of `raise`.

Triton compiles `rows < m and columns < n` of two blocks as `&`, with a warning. Its interpreter is
Python, where `and` gives the second mask alone, and the kernel reads beyond its inputs.
"""

from __future__ import annotations

import ast

from curation.source.functions import is_kernel
from curation.source.text import UNREADABLE, Edits

SIGNS = {ast.And: "&", ast.Or: "|"}


def join_masks(text: str) -> str:
    """Return the module with `&` and `|` between the masks of its kernels."""
    if " and " not in text and " or " not in text:
        return text
    # A mask of three parts takes two rounds: the inner one is rewritten in the second.
    for _ in range(3):
        try:
            tree = ast.parse(text)
        except UNREADABLE:
            return text
        edits = Edits(text)
        for kernel in _kernels(tree):
            blocks, truths = _blocks(kernel), _truths(kernel)
            for node in ast.walk(kernel):
                if isinstance(node, ast.BoolOp) and _is_mask(node, blocks, truths):
                    edits.put(node, _joined(node, edits))
        changed = edits.text()
        if changed == text:
            break
        text = changed
    return text


def replace_raises(text: str) -> str:
    """Return the module with static assertions in place of the errors that its kernels raise.
    Triton compiles no `raise`: it stands in branches for dtypes that never come.
    """
    if "raise " not in text or "import triton.language as tl\n" not in text:
        return text
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    for kernel in _kernels(tree):
        for node in ast.walk(kernel):
            match node:
                case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) as message])):
                    edits.put(node, f"tl.static_assert(False, {edits.of(message)})")
    return edits.text()


def _kernels(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and is_kernel(node)]


def _blocks(kernel: ast.FunctionDef) -> frozenset[str]:
    """Return the names that certainly hold blocks of values: made of `tl.arange` or `[:, None]`."""
    assigned = [node for node in ast.walk(kernel) if isinstance(node, ast.Assign)]
    blocks: frozenset[str] = frozenset()
    while True:
        more = {
            target.id
            for node in assigned
            for target in node.targets
            if isinstance(target, ast.Name) and _holds_block(node.value, blocks)
        }
        if more <= blocks:
            return blocks
        blocks |= more


def _holds_block(node: ast.expr, blocks: frozenset[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in blocks
        case ast.BinOp(left=left, right=right):
            return _holds_block(left, blocks) or _holds_block(right, blocks)
        case ast.Compare(left=left, comparators=[right]):
            return _holds_block(left, blocks) or _holds_block(right, blocks)
        case ast.BoolOp(values=values):
            return any(_holds_block(value, blocks) for value in values)
        case ast.Call(func=func):
            return ast.unparse(func) in {"tl.arange", "tl.full"}
        case ast.Subscript(slice=ast.Tuple(elts=parts)):
            return any(isinstance(part, ast.Constant) and part.value is None for part in parts)
    return False


def _truths(kernel: ast.FunctionDef) -> frozenset[str]:
    """Return the names that are bound to blocks of truth values: `tl.full(…, dtype=tl.int1)`."""
    truths: set[str] = set()
    for node in ast.walk(kernel):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(keywords=keywords)):
                if any(each.arg == "dtype" and _ends(each.value, "int1") for each in keywords):
                    truths.add(name)
    return frozenset(truths)


def _ends(node: ast.expr, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute


def _is_mask(node: ast.BoolOp, blocks: frozenset[str], truths: frozenset[str]) -> bool:
    """Return whether all operands are masks, and one of them is certainly a block."""
    plain = all(_is_truth(value, truths) for value in node.values)
    return plain and any(_holds_block(value, blocks) for value in node.values)


def _is_truth(node: ast.expr, truths: frozenset[str]) -> bool:
    match node:
        case ast.Compare() | ast.BoolOp() | ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
            return True
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return "mask" in name or name in truths
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return isinstance(operand, ast.Compare)
    return False


def _joined(node: ast.BoolOp, edits: Edits) -> str:
    parts: list[str] = []
    for value in node.values:
        match value:
            case ast.Name():
                parts.append(edits.of(value))
            case ast.UnaryOp(operand=operand):
                parts.append(f"~({edits.of(operand)})")
            case _:
                parts.append(f"({edits.of(value)})")
    return f" {SIGNS[type(node.op)]} ".join(parts)
