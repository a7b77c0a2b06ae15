"""The syntax tree of a Python text, by tree-sitter: any text has one, or takes too long."""

from __future__ import annotations

import functools
import textwrap
import time

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor

PYTHON = Language(tree_sitter_python.language())
PARSE_SECONDS = 5.0
CHUNK = 1 << 16


class ParseTimeout(Exception):
    """Error recovery is superlinear on some garbage; no real text comes near the limit."""


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


@functools.cache
def _query(pattern: str) -> Query:
    return Query(PYTHON, pattern)


def captures(pattern: str, node: Node) -> dict[str, list[Node]]:
    return QueryCursor(_query(pattern)).captures(node)


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
