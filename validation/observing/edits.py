"""Edits of a draft's texts: replacing an `if` by the branch that runs, or an expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from curation.source.text import Edit, Edits, walk

Texts = Mapping[str, str]
Observed = Mapping[str, Any]
Known = Mapping[str, object]
"""Known value of each name: None, a boolean, a string, a number, or `...` for a tensor."""
Change = Mapping[str, tuple[Edit, ...]]
"""The edits of each text, by the text's name in the draft."""
# Words in conditions on layouts or the machine. A checker varies these, even if no case does.
VARIED = ("stride", "contiguous", "data_ptr", "is_available", "device", "cuda", ".item()")
# Machines on which a checker runs drafts. A condition on the name of another one is always false.
MACHINES = {"cuda", "cpu"}


def putting(node: ast.expr, kept: ast.expr, *, whole: bool = False) -> Callable[[Edits], None]:
    """Replace an expression. `whole`: it is the value of a statement and needs no parentheses."""
    loose = not whole and isinstance(
        kept, ast.IfExp | ast.BoolOp | ast.Compare | ast.BinOp | ast.Lambda
    )
    return lambda edits: edits.put(node, f"({edits.of(kept)})" if loose else edits.of(kept))


def is_ordered(test: ast.expr) -> bool:
    """Return whether a condition compares sizes or values by their order or remainder."""
    ordering = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Mod)
    return any(isinstance(node, ordering) for node in walk(test))


def is_about_layouts(test: ast.expr) -> bool:
    """Return whether the outcome of a condition may depend on layouts or the machine."""
    compared = [part for node in walk(test) if isinstance(node, ast.Compare) for part in walk(node)]
    values = {each.value for each in compared if isinstance(each, ast.Constant)}
    machines = {each for each in values if isinstance(each, str)}
    written = ast.unparse(test)
    return any(word in written for word in VARIED) and (not machines or bool(machines & MACHINES))


def change_of(name: str, text: str, edit: Callable[[Edits], None]) -> Change:
    edits = Edits(text)
    edit(edits)
    return {name: edits.made()}


def whole_lines(edits: Edits, node: ast.stmt, text: str) -> tuple[int, int]:
    """Return the range of a statement's lines.

    For a function or class, it includes the comment above it and the empty lines before.
    """
    data = text.encode()
    start, end = edits.line_start(node), data.find(b"\n", edits.end(node))
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and (start := body_start(text, node)):
        start = len(data[:start].rstrip(b"\n")) + 1
    return start, len(data) if end < 0 else end + 1


def body_start(text: str, first: ast.stmt) -> int:
    """Return the start of a statement's first line, or of the comments directly above it."""
    edits = Edits(text)
    lines = edits.parted(edits.line_start(first), 0)[0].splitlines(keepends=True)
    while lines and lines[-1].lstrip().startswith("#"):
        lines.pop()
    return len("".join(lines).encode())


def copied(text: str, changes: Edits, start: int, end: int) -> str:
    """Return a range of the text after the changes inside the range."""
    edits = Edits(text)
    edits.repeat(each for each in changes.made() if start <= each[0] and each[1] <= end)
    changed = edits.text().encode()
    return changed[start : end + len(changed) - len(text.encode())].decode()
