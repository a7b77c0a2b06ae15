"""Syntax trees of Python texts, by tree-sitter, with a timeout."""

from __future__ import annotations

import functools
import textwrap
import time

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor

PYTHON = Language(tree_sitter_python.language())
PARSE_SECONDS = 5.0
CHUNK = 1 << 16
RUBBLE = 10_000


class ParseTimeout(Exception):
    """Parsing took too long: error recovery is superlinear on some garbage."""


def parse(text: str) -> Node:
    if text[:1] in {" ", "\t"}:
        text = textwrap.dedent(text)
    data = text.encode("utf-8", "replace")
    deadline = time.monotonic() + PARSE_SECONDS
    parser = Parser(PYTHON)
    try:
        timed = parser.parse(
            lambda offset, _: data[offset : offset + CHUNK],
            progress_callback=lambda _offset, _error: time.monotonic() > deadline,
        )
    except ValueError as error:
        raise ParseTimeout(f"The text took longer than {PARSE_SECONDS:g} s to parse.") from error
    # A tree parsed from a callback would call back for every `node.text`.
    return parser.parse(data, timed).root_node


def is_rubble(root: Node) -> bool:
    """Return True if error recovery left a node with many children: queries are quadratic there."""
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
    return QueryCursor(_query(pattern)).captures(node)


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
