"""How hard a pair is to write: one rule over the Triton side, stated in docs/pairs.md.

Points: 1 for each 12 lines in its kernels and device functions (at most 5); 1 for a second of
these; 1 for a reduction; 1 for blocks of two dimensions; 1 for a loop, 1 more for nested ones; 2
for a product of blocks, 1 more for a second; 2 for atomics; 2 for a scan or a sort; 2 for a
gradient. 0 to 3 points are easy, 4 to 7 medium, more are hard.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

EASY, MEDIUM = 3, 7
REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "reduce", "xor_sum")
SCANS = ("cumsum", "cumprod", "associative_scan", "sort", "topk", "flip")


def difficulty(triton_code: str, differentiable: bool = False) -> str:
    points = _points(triton_code) + 2 * differentiable
    return "easy" if points <= EASY else "medium" if points <= MEDIUM else "hard"


def _points(triton_code: str) -> int:
    functions = [
        node
        for node in ast.parse(triton_code).body
        if isinstance(node, ast.FunctionDef) and any(map(_is_jit, node.decorator_list))
    ]
    lines = sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in functions)
    found = Counter(kind for function in functions for kind in _seen(function))
    return (
        min(5, lines // 12)
        + (len(functions) > 1)
        + bool(found["reduction"])
        + bool(found["two dimensions"])
        + bool(found["loop"])
        + bool(found["nested loop"])
        + (2 + (found["product"] > 1) if found["product"] else 0)
        + 2 * bool(found["atomic"])
        + 2 * bool(found["scan"])
    )


def _is_jit(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and called.attr == "jit"


def _seen(function: ast.FunctionDef) -> Iterator[str]:
    """In one pass and without recursion, because a whole set of pairs is read."""
    waiting: list[tuple[ast.AST, bool]] = [(function, False)]
    while waiting:
        node, in_loop = waiting.pop()
        kind = type(node)
        if kind in UNTOLD:
            continue
        if kind is ast.For or kind is ast.While:
            yield "nested loop" if in_loop else "loop"
            in_loop = True
        elif isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Tuple):
                yield "two dimensions"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _called(node.func.attr)
        waiting += [(child, in_loop) for child in ast.iter_child_nodes(node)]


# Most of a tree, and nothing below.
UNTOLD = {ast.Name, ast.Constant, ast.Load, ast.Store, ast.arg}


def _called(name: str) -> Iterator[str]:
    if name == "dot":
        yield "product"
    elif name in REDUCTIONS:
        yield "reduction"
    elif name in SCANS:
        yield "scan"
    elif name.startswith("atomic_"):
        yield "atomic"
