"""Replacement of an `if` by the branch that is taken, and of a `with` by its body."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from curation.source.text import Edits, walk


def take_branch(
    statement: ast.If | ast.With, kept: Sequence[ast.stmt], edits: Edits, *, alone: bool
) -> None:
    """Replace an `if` by the branch `kept`. If `kept` is empty, remove the `if`, or replace it by
    `pass` if it is `alone` in its block. If it is an `elif`, the branch becomes an `else`."""
    kept = [] if all(isinstance(each, ast.Pass) for each in kept) else kept
    is_first = not edits.of(statement).startswith("elif")
    if kept and isinstance(kept[0], ast.If) and edits.of(kept[0]).startswith("elif"):
        # Only the branch itself changes, so that several branches of a chain can go at once.
        place = edits.start(kept[0])
        edits.replace(edits.start(statement), place + len("el") * is_first, "")
        return
    if is_first:
        if kept:
            edits.put(statement, _moved_out(kept, statement, edits))
        else:
            edits.drop(statement, alone=alone)
        return
    margin = " " * statement.col_offset
    if not kept:
        edits.replace(edits.start(statement) - len(margin), edits.end(statement), "")
    else:
        inner = " " * kept[0].col_offset
        edits.put(statement, f"else:\n{inner}{edits.between(kept[0], kept[-1])}")


def _moved_out(block: Sequence[ast.stmt], of: ast.If | ast.With, edits: Edits) -> str:
    """Return the text of a branch at the indentation of its `if`."""
    lines = edits.between(block[0], block[-1]).split("\n")
    margin = " " * (block[0].col_offset - of.col_offset)
    return "\n".join([lines[0], *(line.removeprefix(margin) for line in lines[1:])])


def blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    """Return all lists of statements in a tree."""
    lists = []
    for node in walk(tree):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list):
                lists.append(block)
    return lists
