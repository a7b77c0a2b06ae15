"""Renaming of local names in the text of a function."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from curation.source.text import Edits, walk


def rename_in(function: ast.FunctionDef, names: Mapping[str, str], edits: Edits) -> None:
    """Rename local names in a function's body."""
    if not names:
        return
    texts = [
        node
        for statement in function.body
        for node in walk(statement)
        if isinstance(node, ast.JoinedStr)
    ]
    # Python 3.11 does not tell the places of names in a text with values in braces.
    inside = {id(node) for each in texts for node in walk(each)}
    for each in texts:
        edits.put(
            each, re.sub(r"\{[^{}]+\}", lambda found: _in_braces(found[0], names), edits.of(each))
        )
    for statement in function.body:
        for node in walk(statement):
            if isinstance(node, ast.Name) and node.id in names and id(node) not in inside:
                edits.put(node, names[node.id])


def _in_braces(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"(?<![.\w'\"!:])[A-Za-z_]\w*", lambda found: names.get(found[0], found[0]), text)
