"""Removal of log messages."""

from __future__ import annotations

import ast
import re

from curation.source.branches import blocks
from curation.source.text import UNREADABLE, Edits, parse

MESSAGE = re.compile(
    r"((\w*_)?(log|logger|logging)\.(debug|info|warning|warn|error|warning_once|info_once|log)"
    r"|warnings\.warn)\(",
    re.I,
)


def remove_logging(text: str) -> str:
    """Return the module without the statements that only log or warn."""
    if not MESSAGE.search(text):
        return text
    edits = Edits(text)
    try:
        for block in blocks(parse(text)):
            calls = [each for each in block if isinstance(each, ast.Expr)]
            messages = [each for each in calls if MESSAGE.match(edits.of(each))]
            for statement in messages:
                edits.drop(statement, alone=len(messages) == len(block))
    except UNREADABLE:
        return text
    return edits.text()
