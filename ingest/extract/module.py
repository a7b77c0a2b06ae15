"""A parsed file with its scopes, and a kernel as a node of the file's syntax tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from ingest.extract.outline import Scope, definition_of, function_scope
from ingest.extract.records import Container, Language
from ingest.extract.scopes import Nesting, name_of
from ingest.extract.syntax import BODIES, Source

COMPOUND = frozenset({"if_statement", "try_statement", "with_statement", "for_statement"})


@dataclass(eq=False)
class Module:
    """A parsed file with its scopes."""

    source: Source
    package: str
    scope: Scope
    nesting: Nesting
    functions: dict[int, Scope] = field(default_factory=dict)
    fragment: bool = False
    """Whether the text is a part of a file. The imports of a part may be outside of it."""
    note: str | None = None
    """Note about the file's bytes, for example on a wrong encoding."""
    cells: tuple[int, ...] = ()
    """The lines at which the code cells of a notebook start."""
    broken_line: int | None = None
    """The first line that does not parse, or None."""
    kernels: list[FoundKernel] | None = None
    """Cache of the kernels. It is evicted together with the tree."""

    path: str = field(init=False)

    def __post_init__(self) -> None:
        self.path = self.source.path

    def function(self, node: Node) -> Scope:
        if node.start_byte not in self.functions:
            self.functions[node.start_byte] = function_scope(self.source, node)
        return self.functions[node.start_byte]

    def scope_at(self, start: int) -> Scope:
        if start < 0:
            return self.scope
        if start not in self.functions:
            node = self.function_node(start)
            return self.function(node) if node is not None else self.scope
        return self.functions[start]

    def function_node(self, start: int) -> Node | None:
        """Return the function definition that begins at this offset, or None."""
        node = self.source.tree.root_node.descendant_for_byte_range(start, start)
        while node is not None and node.type != "function_definition":
            node = node.parent
        return node

    def visible_from(self, scope: Scope) -> list[Scope]:
        """Return this scope and the scopes around it, innermost first."""
        node = self.function_node(scope.start) if scope.start >= 0 else None
        return [scope, *self.enclosing(node)] if node is not None else [self.scope]

    def enclosing(self, node: Node) -> list[Scope]:
        """Return the scopes of the functions around a node, innermost first, then of the module."""
        around = self.nesting.around(node.start_byte)
        return [*(self.function(f) for f in around if f.type == "function_definition"), self.scope]


@dataclass(eq=False, slots=True)
class FoundKernel:
    """A kernel as a node of its module's tree."""

    module: Module
    node: Node
    language: Language
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
    """Return the end offset of a definition's code, without trailing comments."""
    while True:
        last = next((c for c in reversed(node.children) if c.type != "comment"), None)
        if last is None or last.kind_id not in BODIES:
            return (last or node).end_byte
        node = last
