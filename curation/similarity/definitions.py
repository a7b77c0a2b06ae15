"""Texts of the functions and classes of a module, because each may be copied alone."""

from __future__ import annotations

import re

from tree_sitter import Node

from curation.similarity.tree import ParseTimeout, parse, text_of

JIT = re.compile(r"^[ \t]*@[^\n]*\bjit\b", re.MULTILINE)
DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})


def comparable(text: str) -> list[str]:
    """Return the text and, without decorators, its kernels, or its definitions if it has no kernel.

    Launchers are left out, because a launcher with common code is no copy of a problem. Decorators
    are removed, because a copied kernel may have other autotuning.
    """
    nodes = _definitions(text)
    kernels = [node for node in nodes if JIT.search(_with_its_margin(node))]
    parts = [_with_its_margin(_undecorated(node)) for node in kernels or nodes]
    return list(dict.fromkeys([text, *parts]))


def definitions(text: str) -> list[str]:
    """Return every definition that is not inside another one. It may be in the body of an `if`."""
    return [_with_its_margin(node) for node in _definitions(text)]


def _definitions(text: str) -> list[Node]:
    try:
        root = parse(text)
    except ParseTimeout:
        return []
    definitions_found: list[Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in DEFINITIONS:
            definitions_found.append(node)
        elif node.named_child_count and node.type not in {"expression_statement", "comment"}:
            pending.extend(reversed(node.named_children))
    return definitions_found


def _undecorated(node: Node) -> Node:
    return node.child_by_field_name("definition") or node


def _with_its_margin(node: Node) -> str:
    return " " * node.start_point.column + text_of(node)
