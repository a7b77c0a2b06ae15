"""Syntax trees of Python texts from tree-sitter, with a time limit."""

from __future__ import annotations

import functools
import textwrap
import time

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

PYTHON = Language(tree_sitter_python.language())
PARSE_SECONDS = 5.0
CHUNK = 1 << 16
RUBBLE = 10_000
DEEPEST = 1000
"""Maximum depth: queries are quadratic in it, and Python can't compile a sum of 3,000 terms."""
SHALLOW_BYTES = 200


class ParseTimeout(Exception):
    """An error because a text takes too long to parse: it is garbage, or nested too deeply."""


def parse(text: str) -> Node:
    if text[:1] in {" ", "\t"}:
        text = textwrap.dedent(text)
    return parse_bytes(text.encode("utf-8", "replace")).root_node


def parse_bytes(data: bytes) -> Tree:
    """Return the syntax tree of a UTF-8 text, or raise ParseTimeout."""
    deadline = time.monotonic() + PARSE_SECONDS
    parser = Parser(PYTHON)
    try:
        timed = parser.parse(
            lambda offset, _: data[offset : offset + CHUNK],
            progress_callback=lambda _offset, _error: time.monotonic() > deadline,
        )
    except ValueError as error:
        raise ParseTimeout(f"It took longer than {PARSE_SECONDS:g} seconds to parse.") from error
    if is_too_deep(timed.root_node):
        raise ParseTimeout(f"An expression of it is nested more than {DEEPEST:,} levels deep.")
    # Only a parse from a callback has a timeout, and only a tree of bytes gives `node.text` without
    # a callback. The second parse reuses the first tree and takes almost no time.
    return parser.parse(data, timed)


def is_too_deep(root: Node) -> bool:
    """Return whether the tree has more than DEEPEST levels of at least SHALLOW_BYTES each."""
    pending = [(root, 1)]
    while pending:
        node, depth = pending.pop()
        if depth > DEEPEST:
            return True
        pending.extend(
            (child, depth + 1)
            for child in node.children
            if child.end_byte - child.start_byte >= SHALLOW_BYTES
        )
    return False


def is_rubble(root: Node) -> bool:
    """Return True if error recovery left a node with very many children: queries would be slow."""
    pending = [root] if root.has_error else []
    while pending:
        node = pending.pop()
        if node.child_count > RUBBLE:
            return True
        pending.extend(child for child in node.children if child.has_error)
    return False


@functools.cache
def _query(pattern: str) -> Query:
    return Query(PYTHON, pattern)


def captures(pattern: str, node: Node) -> dict[str, list[Node]]:
    """Return the nodes of each capture in file order, because tree-sitter's order varies by run."""
    found = QueryCursor(_query(pattern)).captures(node)
    for nodes in found.values():
        nodes.sort(key=lambda node: (node.start_byte, -node.end_byte))
    return found


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def dotted(node: Node) -> tuple[str, ...] | None:
    """Return the parts of `a.b.c`, or None for any other expression."""
    parts: list[str] = []
    while node.type == "attribute":
        member = node.child_by_field_name("attribute")
        inner = node.child_by_field_name("object")
        if member is None or inner is None:
            return None
        parts.append(text_of(member))
        node = inner
    if node.type != "identifier":
        return None
    parts.append(text_of(node))
    return tuple(reversed(parts))
