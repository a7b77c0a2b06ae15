"""Removal of log messages. A pair is read, and its tests need none."""

from __future__ import annotations

import ast
import re

from curation.source.text import UNREADABLE, Edits

NAMED = re.compile(r"(\b|_)log(ger|ging)?\.\w+\(|\bwarnings\.warn\(")
CALLED = re.compile(
    r"(\w*_)?(log|logger|logging)\.(debug|info|warning|warn|error|warning_once|info_once|log)"
    r"|warnings\.warn",
    re.I,
)
# An empty line that followed the first statement of a function.
OPENING = re.compile(r"^((?:[ \t]*def [^\n]*|[ \t]*\)[^\n]*):)\n\n+(?=[ \t])", re.M)


def remove_logging(text: str) -> str:
    """Return the module without the statements that only log or warn."""
    if not NAMED.search(text.lower()):
        return text
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    dropped = False
    for node in ast.walk(tree):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                messages = [statement for statement in statements if _logs(statement)]
                for statement in messages:
                    dropped = True
                    edits.drop(statement, alone=len(messages) == len(statements))
    return OPENING.sub(r"\1\n", edits.text()) if dropped else text


def _logs(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=called)):
            return bool(CALLED.fullmatch(ast.unparse(called)))
    return False
