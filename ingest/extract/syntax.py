"""Syntax tree of a Python text, by tree-sitter.

It tolerates errors, does not depend on the running Python's grammar, and is safe for any nesting
depth.
"""

from __future__ import annotations

import functools
import itertools
import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from curation.similarity.tree import DEEPEST, is_rubble, is_too_deep
from curation.similarity.tree import dotted as dotted

PYTHON = Language(tree_sitter_python.language())
PARSE_SECONDS = 3.0
CHUNK = 1 << 16


class ParseTimeout(Exception):
    """The file takes too long to parse or to read; real files stay below the limits."""


@dataclass(slots=True, eq=False)
class Source:
    """UTF-8 bytes with `\\n` line ends, their tree, and the lines of byte offsets."""

    path: str
    data: bytes
    tree: Tree
    line_starts: list[int]

    def line_of(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)

    def lines(self, first: int, last: int) -> str:
        """Return the exact text of these lines (1-based, inclusive), without the final line end."""
        start = self.line_starts[first - 1]
        if last < len(self.line_starts):
            return self.data[start : self.line_starts[last] - 1].decode("utf-8")
        return self.data[start:].decode("utf-8").removesuffix("\n")


def parse(path: str, text: str) -> Source:
    data = text.encode("utf-8")
    ended = data.split(b"\n")[:-1]
    starts = [0, *itertools.accumulate(len(line) + 1 for line in ended)]
    parser = Parser(PYTHON)
    deadline = time.monotonic() + PARSE_SECONDS
    try:
        timed = parser.parse(
            lambda offset, _: data[offset : offset + CHUNK],
            progress_callback=lambda _offset, _error: time.monotonic() > deadline,
        )
    except ValueError as error:
        message = f"It took longer than {PARSE_SECONDS:g} seconds to parse."
        raise ParseTimeout(message) from error
    if is_too_deep(timed.root_node):
        raise ParseTimeout(f"An expression of it is nested more than {DEEPEST:,} levels deep.")
    if is_rubble(timed.root_node):
        raise ParseTimeout("Most of it doesn't parse, in a way that would take too long.")
    # Only a parse from a callback has a timeout, and only a tree of bytes gives `node.text` without
    # a callback. The second parse reuses the first tree and is nearly free.
    return Source(path, data, parser.parse(data, timed), starts)


BODIES = frozenset(
    PYTHON.id_for_node_kind(kind, True)
    for kind in (
        "block",
        "case_clause",
        "class_definition",
        "decorated_definition",
        "elif_clause",
        "else_clause",
        "except_clause",
        "finally_clause",
        "for_statement",
        "function_definition",
        "if_statement",
        "match_statement",
        "try_statement",
        "while_statement",
        "with_statement",
    )
)
"""Nodes that contain statements."""


def statements(root: Node) -> Iterator[Node]:
    """Yield the statements under a node and their containers, at any depth, in no fixed order.

    Expressions hold none, and are entered only where they have a syntax error. A query visits every
    node and takes five times as long.
    """
    pending = [root]
    broken = root.has_error
    while pending:
        for node in pending.pop().named_children:
            yield node
            if node.kind_id in BODIES or (broken and node.has_error):
                pending.append(node)


@functools.cache
def query(pattern: str) -> Query:
    return Query(PYTHON, pattern)


def captures(pattern: str, node: Node) -> dict[str, list[Node]]:
    # No progress callback: tree-sitter 0.26 crashes the process on some erroneous trees.
    return QueryCursor(query(pattern)).captures(node)


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8")
