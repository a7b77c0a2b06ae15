"""A kernel as a node of its module's tree, before anything is said about its use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tree_sitter import Node

from ingest.extract.outline import definition_of
from ingest.extract.records import Container, Language
from ingest.extract.scopes import name_of

if TYPE_CHECKING:
    from ingest.extract.repository import Module

COMPOUND = frozenset({"if_statement", "try_statement", "with_statement", "for_statement"})


@dataclass(eq=False, slots=True)
class FoundKernel:
    """A kernel as a node of its module's tree."""

    module: Module
    node: Node
    language: Language
    jit_index: int | None
    """Which decorator makes it a kernel; None where an assignment does."""
    aliases: tuple[str, ...] = ()
    end: int = field(init=False)

    def __post_init__(self) -> None:
        self.end = code_end(self.definition)

    @property
    def definition(self) -> Node:
        return definition_of(self.node)

    @property
    def name(self) -> str:
        return name_of(self.definition)

    @property
    def qualname(self) -> str:
        return self.module.nesting.qualname(self.definition)

    @property
    def start(self) -> int:
        return self.node.start_byte

    @property
    def first_line(self) -> int:
        return self.module.source.line_of(self.start)

    @property
    def last_line(self) -> int:
        return self.module.source.line_of(self.end - 1)

    @property
    def container(self) -> Container:
        around = self.module.nesting.around(self.start)
        if around:
            return "class" if around[0].type == "class_definition" else "function"
        current = self.node.parent
        while current is not None:
            if current.type in COMPOUND:
                return "condition"
            current = current.parent
        return "module"


def code_end(node: Node) -> int:
    """Where the code of a definition ends: the comments that trail it are not its own."""
    while True:
        last = next((c for c in reversed(node.children) if c.type != "comment"), None)
        if last is None or last.type not in {"block", *_ENDING_IN_BLOCK}:
            return (last or node).end_byte
        node = last


_ENDING_IN_BLOCK = frozenset(
    {
        "function_definition",
        "class_definition",
        "decorated_definition",
        "if_statement",
        "elif_clause",
        "else_clause",
        "for_statement",
        "while_statement",
        "try_statement",
        "except_clause",
        "finally_clause",
        "with_statement",
        "match_statement",
        "case_clause",
    }
)
