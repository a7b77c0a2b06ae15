"""Syntax tree of a Python text, by tree-sitter.

The parser tolerates errors, does not depend on the running Python's grammar, and accepts any
nesting depth.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node, Tree

from curation.similarity.tree import PYTHON, is_rubble, parse_bytes
from curation.similarity.tree import ParseTimeout as ParseTimeout
from curation.similarity.tree import captures as captures
from curation.similarity.tree import dotted as dotted
from curation.similarity.tree import text_of as text_of


@dataclass(slots=True, eq=False)
class Source:
    """UTF-8 bytes with `\\n` line ends, their syntax tree, and the start offset of each line."""

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
    tree = parse_bytes(data)
    if is_rubble(tree.root_node):
        raise ParseTimeout("Most of it doesn't parse, in a way that would take too long.")
    return Source(path, data, tree, starts)


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

    Expressions contain no statements, so they are searched only if they have a syntax error. A
    query of tree-sitter would visit every node, which takes five times as long.
    """
    pending = [root]
    broken = root.has_error
    while pending:
        for node in pending.pop().named_children:
            yield node
            if node.kind_id in BODIES or (broken and node.has_error):
                pending.append(node)
