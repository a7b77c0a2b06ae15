"""Choice of the name that both sides of a pair define.

A draft is assembled under a name that no text of the repository holds. Afterwards it gets the
operation's own name, and a launcher of that name becomes `launch_…`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import replace

from ingest.drafting.edits import UNREADABLE
from ingest.drafting.naming import to_snake_case
from ingest.drafting.records import Draft, Texts

SUFFIX = re.compile(r"_(fwd|forward|triton|fn|func|kernel|apply)$")
PREFIX = re.compile(r"^(triton|run|launch|liger)_")


def with_own_name(draft: Draft, operation: str) -> Draft:
    """Return the draft under the first name of its operation that its texts leave free."""
    for name in _names(operation):
        texts = _renamed(draft.texts, draft.entry_point, name)
        if texts is not None:
            return replace(draft, entry_point=name, texts=texts)
    return draft


def _names(operation: str) -> Iterator[str]:
    """Yield names of the operation, the repository's own last: its launcher often has it."""
    whole = to_snake_case(operation.rpartition(".")[2])
    short = PREFIX.sub("", SUFFIX.sub("", whole))
    for name in dict.fromkeys((short, whole)):
        if name.isidentifier():
            yield name


def _renamed(texts: Texts, old: str, new: str) -> Texts | None:
    try:
        python = _Names(texts.python_code)
        triton = _Names(texts.triton_code)
        test = _Names(texts.test_code)
    except (*UNREADABLE, tokenize.TokenError):
        return None
    if new in python.names or new in test.names or new in triton.awkward:
        return None
    moves = {old: new}
    if new in triton.names:
        launcher = f"launch_{new}"
        if new not in triton.functions or launcher in triton.names:
            return None
        moves[new] = launcher
    return Texts(python.moved({old: new}), triton.moved(moves), test.moved({old: new}))


class _Names:
    """The names of a text, without attributes."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        tree = ast.parse(text)
        self.functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        self._places = [
            token
            for before, token in zip([None, *tokens], tokens, strict=False)
            if token.type == tokenize.NAME and not (before is not None and before.string == ".")
        ]
        self.names = {token.string for token in self._places}
        self.awkward = {
            node.arg
            for node in ast.walk(tree)
            if isinstance(node, ast.keyword | ast.arg) and node.arg is not None
        }
        """Names of parameters and keywords: a function of such a name can't be renamed."""

    def moved(self, moves: dict[str, str]) -> str:
        lines = list(self._lines)
        for token in reversed(self._places):
            if token.string in moves:
                row, start, end = token.start[0] - 1, token.start[1], token.end[1]
                lines[row] = lines[row][:start] + moves[token.string] + lines[row][end:]
        return "".join(lines)
