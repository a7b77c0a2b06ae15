"""Error-tolerant Python parser for this package. It imports and runs no code."""

from collections.abc import Iterator

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor

PYTHON = Language(tree_sitter_python.language())


def parse(source: bytes) -> Node:
    """Parse a file; broken parts become ERROR nodes."""
    return Parser(PYTHON).parse(source).root_node


def matches(query: Query, node: Node) -> Iterator[dict[str, list[Node]]]:
    """Yield the captures of each match, in file order."""
    for _, captures in QueryCursor(query).matches(node):
        yield captures


def text(node: Node) -> str:
    """Return the node's source. The file was decoded before, so this can't fail."""
    return (node.text or b"").decode("utf-8")
