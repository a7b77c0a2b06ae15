"""The error-tolerant Python parser, for this package's needs: nothing is imported or run."""

from collections.abc import Iterator

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor

PYTHON = Language(tree_sitter_python.language())


def parse(source: bytes) -> Node:
    """The syntax tree of a file, with ERROR nodes where it is broken."""
    return Parser(PYTHON).parse(source).root_node


def matches(query: Query, node: Node) -> Iterator[dict[str, list[Node]]]:
    """The captures of each match, in the order of the file."""
    for _, captures in QueryCursor(query).matches(node):
        yield captures


def text(node: Node) -> str:
    """The node's source; the file was decoded before, so this can't fail."""
    return (node.text or b"").decode("utf-8")
