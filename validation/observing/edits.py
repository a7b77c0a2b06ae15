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
# Words of conditions on layouts, which a checker varies although no case does.
LAYOUT = ("stride", "contiguous", "data_ptr")


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
    """Return whether other sizes or layouts may change a condition, which no case tried."""
    ordering = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Mod)
    written = ast.unparse(test)
    return any(isinstance(node, ordering) for node in walk(test)) or any(
        word in written for word in LAYOUT
    )


def change_of(name: str, text: str, edit: Callable[[Edits], None]) -> Change:
    edits = Edits(text)
    edit(edits)
    return {name: edits.made()}
