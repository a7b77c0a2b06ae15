"""Edits of a draft's texts: a branch that is taken, an expression that is replaced."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from curation.source.branches import take_branch
from curation.source.text import Edit, Edits, walk

Texts = Mapping[str, str]
Observed = Mapping[str, Any]
Known = Mapping[str, object]
"""Values of names: None, a boolean, a string, a number, or `...` for a tensor."""
Change = Mapping[str, tuple[Edit, ...]]
"""The edits of each text, by its name."""
# Words of conditions on layouts, which a checker varies although no case does, and on the machine.
VARIED = ("stride", "contiguous", "data_ptr", "is_available", "device", "cuda")


def parted(node: ast.If, outcome: bool) -> tuple[list[ast.stmt], list[ast.stmt]]:
    return (node.body, node.orelse) if outcome else (node.orelse, node.body)


def taking(
    node: ast.If | ast.With, kept: list[ast.stmt], *, alone: bool
) -> Callable[[Edits], None]:
    return lambda edits: take_branch(node, kept, edits, alone=alone)


def putting(node: ast.expr, kept: ast.expr, *, whole: bool = False) -> Callable[[Edits], None]:
    """`whole`: the node is the value of a statement, which needs no parentheses."""
    loose = not whole and isinstance(
        kept, ast.IfExp | ast.BoolOp | ast.Compare | ast.BinOp | ast.Lambda
    )
    return lambda edits: edits.put(node, f"({edits.of(kept)})" if loose else edits.of(kept))


def is_about_sizes(test: ast.expr) -> bool:
    """Return whether other sizes, layouts or machines may change a condition."""
    ordering = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Mod)
    written = ast.unparse(test)
    return any(isinstance(node, ordering) for node in walk(test)) or any(
        word in written for word in VARIED
    )


def change_of(name: str, text: str, edit: Callable[[Edits], None]) -> Change:
    edits = Edits(text)
    edit(edits)
    return {name: edits.made()}


def whole_lines(edits: Edits, node: ast.stmt, text: str) -> tuple[int, int]:
    """Return the range of a statement's lines.

    A function goes with the comment above it, and with the empty lines before.
    """
    data = text.encode()
    start, end = edits.line_start(node), data.find(b"\n", edits.end(node))
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and (start := body_start(text, node)):
        start = len(data[:start].rstrip(b"\n")) + 1
    return start, len(data) if end < 0 else end + 1


def body_start(text: str, first: ast.stmt) -> int:
    """Return the start of the line of a body's first statement, or of the comments above it."""
    edits = Edits(text)
    lines = edits.parted(edits.line_start(first), 0)[0].splitlines(keepends=True)
    while lines and lines[-1].lstrip().startswith("#"):
        lines.pop()
    return len("".join(lines).encode())


def copied(text: str, changes: Edits, start: int, end: int) -> str:
    """Return a range of the text with the changes inside of it."""
    edits = Edits(text)
    edits.repeat(each for each in changes.made() if start <= each[0] and each[1] <= end)
    changed = edits.text().encode()
    return changed[start : end + len(changed) - len(text.encode())].decode()
