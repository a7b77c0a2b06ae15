"""Flat list of the statements of one scope: a module's or a function's body.

Each simple statement is a leaf. It has the `if`, `try` and `with` clauses around it, and the names
that it binds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Node

from ingest.extract.imports import Imported, read_dynamic_import, read_import
from ingest.extract.names import Names, names_of, parameter_names
from ingest.extract.syntax import Source, text_of
from ingest.extract.targets import Resolution

COMPOUND = frozenset({"if_statement", "try_statement", "with_statement"})
CLAUSES = frozenset({"elif_clause", "else_clause", "except_clause", "finally_clause"})
DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
REBINDING = frozenset({"global_statement", "nonlocal_statement"})
GUARD_LENGTH = 200
TRITON_GUARD = re.compile(
    rb"if\b(?!.*(?:\bnot\b|[<>=!]|version|hasattr))[^:]*triton[^:]*:", re.I | re.S
)
"""A condition on whether Triton is installed. It is true for a standalone kernel.

A condition on one of Triton's attributes distinguishes releases and is kept.
"""

ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})
PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})
LOOPS = frozenset({"for_statement", "while_statement", "match_statement", "type_alias_statement"})

MUTATORS = frozenset({"append", "extend", "update", "add", "insert", "setdefault", "register"})


@dataclass(frozen=True, slots=True)
class Clause:
    """One branch of a compound statement, identified by the statement's start and an index."""

    compound: int
    index: int
    compound_kind: str
    kind: str
    start: int
    header_end: int
    end: int
    guards_triton: bool = False


@dataclass(eq=False, slots=True)
class Leaf:
    """A statement. A standalone unit contains it completely or not at all."""

    source: Source
    node: Node
    clauses: tuple[Clause, ...]
    imports: tuple[Imported, ...] = ()
    _names: Names | None = None
    resolved: dict[tuple[frozenset[str], bool], Resolution] = field(default_factory=dict)
    """Cached resolutions. The key: the packages that may be imported, and if tuning is dropped."""

    def __post_init__(self) -> None:
        if self.node.type in IMPORTS:
            self.imports = read_import(self.node)
        elif self.node.type == "expression_statement":
            self.imports = read_dynamic_import(self.node)

    @property
    def start(self) -> int:
        return self.node.start_byte

    @property
    def is_definition(self) -> bool:
        return self.node.type in DEFINITIONS

    @property
    def names(self) -> Names:
        if self._names is None:
            self._names = names_of(self.node)
        return self._names

    @property
    def binds(self) -> tuple[str, ...]:
        if self.node.type in IMPORTS:
            return tuple(i.name for i in self.imports if not i.is_star)
        if self.is_definition:
            name = definition_of(self.node).child_by_field_name("name")
            return (text_of(name),) if name else ()
        if self.node.type == "expression_statement":
            return tuple(dict.fromkeys(_assigned(self.node)))
        if self.node.type in LOOPS:
            return tuple(dict.fromkeys(token.name for token in self.names.stores))
        return ()

    @property
    def mutates(self) -> str | None:
        """Name of the value that this statement changes: `X.append(…)`, `X[k] = …`, `X.a = …`."""
        if self.node.type != "expression_statement" or not self.node.named_children:
            return None
        inner: Node | None = self.node.named_children[0]
        if inner is not None and inner.type in {"assignment", "augmented_assignment"}:
            inner = inner.child_by_field_name("left")
        elif inner is not None and inner.type == "call":
            inner = inner.child_by_field_name("function")
            member = inner.child_by_field_name("attribute") if inner else None
            if member is None or text_of(member) not in MUTATORS:
                return None
        if inner is None or inner.type not in {"attribute", "subscript"}:
            return None
        while inner is not None and inner.type in {"attribute", "subscript"}:
            inner = inner.child_by_field_name("object") or inner.child_by_field_name("value")
        return text_of(inner) if inner is not None and inner.type == "identifier" else None


@dataclass(frozen=True, slots=True)
class Binding:
    """A statement that gives a name its value. If it imports the name, it has the import."""

    leaf: Leaf
    imported: Imported | None = None


class Scope:
    """The names of a module or a function. `start` is -1 for a module."""

    def __init__(self, source: Source, start: int, name: str, body: Node | None) -> None:
        self.source, self.start, self.name = source, start, name
        self.parameters: frozenset[str] = frozenset()
        self._body = body
        self._bindings: dict[str, list[Binding]] = {}
        self._outer: set[str] = set()

    @cached_property
    def leaves(self) -> list[Leaf]:
        leaves = _leaves(self.source, self._body) if self._body is not None else []
        for leaf in leaves:
            if leaf.node.type in REBINDING:
                self._outer.update(text_of(name) for name in leaf.node.named_children)
            for binding in _bindings(leaf):
                name = binding.imported.name if binding.imported else ""
                for bound in (name,) if name else leaf.binds:
                    self._bindings.setdefault(bound, []).append(binding)
        return leaves

    def bindings(self, name: str) -> list[Binding]:
        """Return the statements that give this name a value, in file order."""
        _ = self.leaves
        return [] if name in self._outer else self._bindings.get(name, [])

    @cached_property
    def stars(self) -> list[Imported]:
        return [i for i in self._imports() if i.is_star] if self.start < 0 else []

    def mutators(self, name: str) -> list[Leaf]:
        """Return the statements that change the value of a name without rebinding the name."""
        return self._mutators.get(name, [])

    @cached_property
    def _mutators(self) -> dict[str, list[Leaf]]:
        mutators: dict[str, list[Leaf]] = {}
        for leaf in self.leaves:
            if changed := leaf.mutates:
                mutators.setdefault(changed, []).append(leaf)
        return mutators

    def members_imported(self) -> list[Imported]:
        """Return the names that the `from … import …` statements of this scope import."""
        return [i for i in self._imports() if i.attribute and not i.is_star]

    def _imports(self) -> Iterator[Imported]:
        return (imported for leaf in self.leaves for imported in leaf.imports)


def module_scope(source: Source) -> Scope:
    return Scope(source, -1, "", source.tree.root_node)


def function_scope(source: Source, function: Node) -> Scope:
    name = function.child_by_field_name("name")
    body = function.child_by_field_name("body")
    scope = Scope(source, function.start_byte, text_of(name) if name else "", body)
    scope.parameters = frozenset(text_of(parameter) for parameter in parameter_names(function))
    return scope


def _bindings(leaf: Leaf) -> list[Binding]:
    if leaf.imports:
        return [Binding(leaf, imported) for imported in leaf.imports if not imported.is_star]
    return [Binding(leaf)] if leaf.binds else []


def definition_of(node: Node) -> Node:
    """Return the function or class that a decorated definition contains."""
    inner = node.child_by_field_name("definition") if node.type == "decorated_definition" else None
    return inner or node


def _leaves(source: Source, block: Node) -> list[Leaf]:
    leaves: list[Leaf] = []
    pending: list[tuple[Node, tuple[Clause, ...]]] = [(block, ())]
    while pending:
        node, clauses = pending.pop()
        if node.type in COMPOUND:
            pending.extend(reversed(_branches(source, node, clauses)))
        elif node is block or node.type in {"block", "ERROR"}:
            # A part of the file with syntax errors may still contain complete definitions.
            pending.extend((child, clauses) for child in reversed(node.named_children))
        elif node.type != "comment":
            leaves.append(Leaf(source, node, clauses))
    return leaves


def _branches(
    source: Source, node: Node, clauses: tuple[Clause, ...]
) -> list[tuple[Node, tuple[Clause, ...]]]:
    return [(body, (*clauses, clause)) for body, clause in branches_of(source, node)]


def branches_of(source: Source, compound: Node) -> list[tuple[Node, Clause]]:
    """Return the bodies of an `if`, `try` or `with` statement, each with its clause."""
    branches: list[tuple[Node, Clause]] = []
    parts = [compound, *(child for child in compound.named_children if child.type in CLAUSES)]
    for index, part in enumerate(parts):
        body = (
            part.child_by_field_name("consequence")
            or part.child_by_field_name("body")
            or next((child for child in part.named_children if child.type == "block"), None)
        )
        if body is None:
            continue
        kind = part.type.partition("_")[0]
        header = source.data[part.start_byte : body.start_byte]
        clause = Clause(
            compound=compound.start_byte,
            index=index,
            compound_kind=compound.type.partition("_")[0],
            kind=kind,
            start=part.start_byte,
            header_end=body.start_byte,
            end=part.end_byte,
            guards_triton=kind == "if"
            and len(header) < GUARD_LENGTH
            and bool(TRITON_GUARD.match(header)),
        )
        branches.append((body, clause))
    return branches


def compound_at(source: Source, start: int) -> Node | None:
    """Return the compound statement that begins at this offset."""
    node = source.tree.root_node.descendant_for_byte_range(start, start)
    while node is not None and node.type not in COMPOUND:
        node = node.parent
    return node


def _assigned(statement: Node) -> list[str]:
    """Return the names that an assignment binds. It may be chained or unpack a tuple."""
    names: list[str] = []
    # `node.parent` is avoided: it walks from the root past every sibling.
    pending = [(node, False) for node in statement.named_children[:1]]
    while pending:
        node, is_target = pending.pop()
        if node.type in ASSIGNMENTS:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            pending.extend((side, False) for side in (right,) if side is not None)
            pending.extend((side, True) for side in (left,) if side is not None)
        elif is_target and node.type in PATTERNS:
            pending.extend((child, True) for child in reversed(node.named_children))
        elif is_target and node.type == "identifier":
            names.append(text_of(node))
    return names
