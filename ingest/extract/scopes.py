"""Functions and classes around a definition, and its qualified name."""

from __future__ import annotations

from bisect import bisect_left

from tree_sitter import Node

from ingest.extract.syntax import statements, text_of

DEFINITIONS = frozenset({"function_definition", "class_definition"})


class Nesting:
    """Index of the functions and classes of one tree, by position.

    tree-sitter finds a node's parent by walking down from the root. Such a walk for every
    identifier would take most of an extraction's time.
    """

    def __init__(self, root: Node) -> None:
        definitions: list[Node] = []
        self.decorated: list[Node] = []
        """Functions that have decorators, in no fixed order."""
        for node in statements(root):
            kind = node.type
            if kind in DEFINITIONS:
                definitions.append(node)
            elif kind == "decorated_definition" and _decorates_function(node):
                self.decorated.append(node)
        self._nodes = sorted(definitions, key=lambda node: (node.start_byte, -node.end_byte))
        self._starts = [node.start_byte for node in self._nodes]
        self._ends = [node.end_byte for node in self._nodes]
        self._outer: list[int] = []
        open_definitions: list[int] = []
        for index, start in enumerate(self._starts):
            while open_definitions and self._ends[open_definitions[-1]] <= start:
                open_definitions.pop()
            self._outer.append(open_definitions[-1] if open_definitions else -1)
            open_definitions.append(index)

    def around(self, offset: int) -> list[Node]:
        """Return the definitions that begin before an offset and end after it, innermost first."""
        definitions: list[Node] = []
        index = bisect_left(self._starts, offset) - 1
        while index >= 0:
            if self._ends[index] > offset:
                definitions.append(self._nodes[index])
            index = self._outer[index]
        return definitions

    def qualname(self, definition: Node) -> str:
        """Return Python's `__qualname__` for a function or class node."""
        parts: list[str] = []
        for outer in reversed(self.around(definition.start_byte)):
            parts.append(name_of(outer))
            if outer.type == "function_definition":
                parts.append("<locals>")
        return ".".join([*parts, name_of(definition)])


def _decorates_function(node: Node) -> bool:
    definition = node.child_by_field_name("definition")
    return definition is not None and definition.type == "function_definition"


def name_of(definition: Node) -> str:
    name = definition.child_by_field_name("name")
    return text_of(name) if name is not None else ""
