"""A module's parts that a copier may take alone: its functions and classes, as texts."""

from __future__ import annotations

import re

from tree_sitter import Node

from curation.similarity.tree import ParseTimeout, parse, text_of

JIT = re.compile(r"^[ \t]*@[^\n]*\bjit\b", re.MULTILINE)
DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})


def comparable(text: str) -> list[str]:
    """The text and its definitions, undecorated; where it has kernels, of those only the kernels.

    A benchmark's problem is its kernel: who has the launcher's plumbing alone has copied nothing,
    and who tunes over other sizes has copied all the same.
    """
    nodes = _definitions(text)
    kernels = [node for node in nodes if JIT.search(_with_its_margin(node))]
    parts = [_with_its_margin(_undecorated(node)) for node in kernels or nodes]
    return list(dict.fromkeys([text, *parts]))


def definitions(text: str) -> list[str]:
    """Every definition that stands in no other one, whatever condition is around it."""
    return [_with_its_margin(node) for node in _definitions(text)]


def _definitions(text: str) -> list[Node]:
    try:
        root = parse(text)
    except ParseTimeout:
        return []
    found: list[Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in DEFINITIONS:
            found.append(node)
        elif node.named_child_count and node.type not in {"expression_statement", "comment"}:
            pending.extend(reversed(node.named_children))
    return found


def _undecorated(node: Node) -> Node:
    return node.child_by_field_name("definition") or node


def _with_its_margin(node: Node) -> str:
    return " " * node.start_point.column + text_of(node)
