"""Removal of branches that no pair takes.

The inputs of a pair are plain tensors, so `isinstance(x, DTensor)` is false. The condition names
`torch.distributed.tensor`, which `import torch` does not load, so that evaluating it raises. Triton
is there, and torch is recent: a definition for the other case only raises. The GPU is not AMD's.
"""

from __future__ import annotations

import ast
import re

from ingest.drafting.edits import UNREADABLE, Edits

NAMED = re.compile(
    r"\bDTensor\b|\bif .*\b(has_triton|torch_version_at_least)\(|\bif .*\btorch\.version\.hip\b"
)
PRESENT = {"has_triton", "torch_version_at_least"}
OF_AMD = "torch.version.hip"
CLASS = re.compile(r"(torch\.distributed\.tensor\.)?_?DTensor")


def remove_dead_branches(text: str) -> str:
    """Return the module without the code that only distributed tensors or a machine without Triton
    would run.
    """
    if not NAMED.search(text):
        return text
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    for node in ast.walk(tree):
        block = [
            getattr(node, part) for part in ("body", "orelse", "finalbody")
            if isinstance(getattr(node, part, None), list)
        ]  # fmt: skip
        for statements in block:
            for statement in statements:
                _rewrite(statement, edits, alone=len(statements) == 1)
        if isinstance(node, ast.Call) and _known(node) is False:
            # Inside of any other expression.
            edits.put(node, "False")
    return edits.text()


def _rewrite(statement: ast.stmt, edits: Edits, *, alone: bool) -> None:
    known = _known(statement.test) if isinstance(statement, ast.If) else None
    if not isinstance(statement, ast.If) or known is None:
        return
    kept = statement.body if known else statement.orelse
    if any(not isinstance(each, ast.Pass) for each in kept):
        edits.put(statement, moved_out(kept, statement, edits))
    else:
        edits.drop(statement, alone=alone)


def moved_out(block: list[ast.stmt], of: ast.If, edits: Edits) -> str:
    """Return the text of a branch at the indentation of its `if`."""
    if isinstance(block[0], ast.If) and block[0].col_offset == of.col_offset:
        return edits.of(block[0]).removeprefix("el")
    lines = edits.between(block[0], block[-1]).split("\n")
    margin = " " * (block[0].col_offset - of.col_offset)
    return "\n".join([lines[0], *(line.removeprefix(margin) for line in lines[1:])])


def _known(test: ast.expr) -> bool | None:
    """Return the value of a condition for plain tensors, or None if it depends on more."""
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            return False if CLASS.fullmatch(ast.unparse(kind)) else None
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in PRESENT:
            return True
        case ast.Call(func=ast.Attribute(attr="constexpr"), args=[inner]):
            return _known(inner)
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]):
            return isinstance(op, ast.Is) if ast.unparse(left) == OF_AMD else None
        case ast.Attribute():
            return False if ast.unparse(test) == OF_AMD else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            known = _known(operand)
            return None if known is None else not known
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            each = [_known(value) for value in values]
            if decides in each:
                return decides
            return None if None in each else not decides
    return None
