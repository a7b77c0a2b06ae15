"""Transitive closure of a kernel: all statements, in any file, that it needs.
The module `render` writes the result as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from ingest.extract.kernels import decorators_of
from ingest.extract.meaning import MeaningReader
from ingest.extract.module import FoundKernel, Module
from ingest.extract.names import Names, names_of
from ingest.extract.outline import (
    CLAUSES,
    Binding,
    Clause,
    Leaf,
    Scope,
    compound_at,
    definition_of,
)
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver, remaining
from ingest.extract.syntax import dotted, text_of
from ingest.extract.targets import Local, Resolution

NESTING_LIMIT = 20
PIECE_LIMIT = 2000
"""Maximum number of statements. A larger closure is a complete application, not a kernel."""


@dataclass(eq=False, slots=True)
class Piece:
    """A statement that belongs to the standalone module."""

    module: Module
    scope: Scope
    node: Node
    clauses: tuple[Clause, ...]
    names: Names
    leaf: Leaf | None = None
    resolution: Resolution = field(default_factory=Resolution)


@dataclass(eq=False, slots=True)
class Closure:
    target: Piece
    pieces: dict[tuple[str, int], Piece] = field(default_factory=dict)
    headers: dict[tuple[str, int], Resolution] = field(default_factory=dict)
    submodules: dict[str, None] = field(default_factory=dict)
    reasons: dict[str, None] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    tuned: bool = False

    def headers_of(self, piece: Piece) -> Iterator[Resolution]:
        """Yield the resolutions of the conditions around a piece, outermost condition first."""
        for clause in piece.clauses:
            header = self.headers.get((piece.module.path, clause.compound))
            if header is not None:
                yield header

    @property
    def complete(self) -> bool:
        return not self.reasons and not self.missing


class Gatherer:
    """Collector of one kernel's closure."""

    def __init__(
        self, repository: Repository, resolver: Resolver, kernel: FoundKernel, drop_tuning: bool
    ) -> None:
        self._repository = repository
        self._resolver = resolver
        self._kernel = kernel
        self._drop_tuning = drop_tuning
        self._taken: dict[tuple[str, int], int] = {}
        self._keys: set[Local] = set()
        self._queue: list[Local] = []
        self._given_paths: set[str] = set()

    def gather(self) -> Closure:
        target = self._target()
        self._closure = Closure(target)
        self._add(target)
        for alias in self._kernel.aliases:
            self._need(Local(target.module.path, target.scope.start, alias))
        while self._queue and len(self._closure.pieces) <= PIECE_LIMIT:
            self._define(self._queue.pop())
        if len(self._closure.pieces) > PIECE_LIMIT:
            self._closure.reasons["It needs more than a kernel can carry along."] = None
        return self._closure

    def _target(self) -> Piece:
        module, node = self._kernel.module, self._kernel.node
        if self._needs_class():
            for outer in module.nesting.around(node.start_byte):
                if outer.type != "class_definition":
                    break
                node = outer
            if node.parent is not None and node.parent.type == "decorated_definition":
                node = node.parent
        scope = module.enclosing(node)[0]
        leaf = next((leaf for leaf in scope.leaves if leaf.start == node.start_byte), None)
        clauses = leaf.clauses if leaf else ()
        for clause in clauses:
            self._taken[(module.path, clause.compound)] = clause.index
            self._given_paths.add(module.path)
        names = leaf.names if leaf else names_of(node)
        return Piece(module, scope, node, (), names, leaf=leaf)

    def _needs_class(self) -> bool:
        around = self._kernel.module.nesting.around(self._kernel.start)
        if not around or around[0].type != "class_definition":
            return False
        parameters = self._kernel.definition.child_by_field_name("parameters")
        first = next(iter(parameters.named_children), None) if parameters else None
        if first is not None and text_of(first).partition(":")[0].strip() in {"self", "cls"}:
            return True
        decorated = around[0].parent
        return decorated is not None and any(
            text_of(d).rpartition(".")[2].startswith("aggregate") for d in decorators_of(decorated)
        )

    def _add(self, piece: Piece) -> None:
        place = (piece.module.path, piece.node.start_byte)
        if place in self._closure.pieces:
            return
        self._closure.pieces[place] = piece
        piece.resolution = self._resolution(piece)
        self._accept(piece.resolution)
        if len(piece.clauses) > NESTING_LIMIT:
            self._closure.reasons["It needs code that is nested too deeply to follow."] = None
            piece.clauses = ()
        for clause in piece.clauses:
            self._header(piece, clause)

    def _accept(self, resolution: Resolution) -> None:
        closure = self._closure
        closure.submodules.update(resolution.submodules)
        closure.reasons.update(resolution.reasons)
        closure.missing.update(resolution.missing)
        closure.notes.update(resolution.notes)
        closure.tuned |= resolution.tuned
        for key in resolution.needs:
            self._need(key)

    def _need(self, key: Local) -> None:
        if key not in self._keys:
            self._keys.add(key)
            self._queue.append(key)

    def _resolution(self, piece: Piece) -> Resolution:
        """Return the meanings of a statement's names. The result is cached for other kernels."""
        shared = piece.leaf is not None and piece.module.path not in self._given_paths
        reading = (self._resolver.packages, self._drop_tuning)
        if piece.leaf is not None and shared and reading in piece.leaf.resolved:
            return piece.leaf.resolved[reading]
        scopes = piece.module.visible_from(piece.scope)
        reader = MeaningReader(self._repository, self._resolver, piece.module, scopes, self._taken)
        resolution = reader.read(piece.node, piece.leaf, piece.names, self._drop_tuning)
        if piece.leaf is not None and shared:
            piece.leaf.resolved[reading] = resolution
        return resolution

    def _define(self, key: Local) -> None:
        module = self._repository.module(key.path)
        if module is None:
            self._closure.missing[key.name] = None
            return
        scope = module.scope_at(key.scope)
        target = self._closure.target
        own_scope = (key.path, key.scope) == (target.module.path, target.scope.start)
        if own_scope and key.name in _binds(target):
            return
        before = target.node.start_byte if own_scope else None
        bindings = self._resolver.bindings(key, self._taken, before)
        if not bindings:
            self._closure.missing[key.name] = None
        if scope.start >= 0:
            problem = _why_not_lifted(self._resolver, module, scope, key.name, bindings)
            if problem:
                self._closure.reasons[problem] = None
                return
        for binding in bindings:
            self._add(self._piece(module, scope, binding.leaf))
        for leaf in scope.mutators(key.name):
            self._add(self._piece(module, scope, leaf))

    def _piece(self, module: Module, scope: Scope, leaf: Leaf) -> Piece:
        clauses = remaining(leaf, self._taken)
        return Piece(module, scope, leaf.node, clauses, leaf.names, leaf=leaf)

    def _header(self, piece: Piece, clause: Clause) -> None:
        """Resolve the names in the headers of a compound statement that encloses a piece."""
        place = (piece.module.path, clause.compound)
        if place in self._closure.headers:
            return
        module = piece.module
        scopes = module.visible_from(piece.scope)
        reader = MeaningReader(self._repository, self._resolver, module, scopes, self._taken)
        compound = compound_at(module.source, clause.compound)
        parts = [compound, *compound.named_children] if compound is not None else []
        for part in parts:
            if part is not compound and part.type not in CLAUSES:
                continue
            for child in part.named_children:
                if child.type != "block" and child.type not in CLAUSES:
                    reader.read_loads(names_of(child).loads)
        self._closure.headers[place] = reader.resolution
        self._accept(reader.resolution)


def _binds(piece: Piece) -> tuple[str, ...]:
    if piece.leaf is not None:
        return piece.leaf.binds
    name = definition_of(piece.node).child_by_field_name("name")
    return (text_of(name),) if name else ()


def _why_not_lifted(
    resolver: Resolver, module: Module, scope: Scope, name: str, bindings: list[Binding]
) -> str | None:
    """Return the reason why a function's local name can't move to module level, or None."""
    capture = f"It captures {name}, which the function {scope.name} around it computes."
    if len(bindings) != 1 or name in scope.parameters:
        return capture
    leaf = bindings[0].leaf
    if leaf.names.rebinds_outer:
        return capture
    if leaf.is_definition or leaf.imports:
        return None
    inner = leaf.node.named_children[0] if leaf.node.named_children else None
    if leaf.clauses or inner is None or inner.type != "assignment":
        return capture
    return None if _is_constant(resolver, module, scope, inner) else capture


def _is_constant(resolver: Resolver, module: Module, scope: Scope, assignment: Node) -> bool:
    pending = [assignment]
    while pending:
        node = pending.pop()
        if node.type in {"await", "yield", "lambda", "subscript"}:
            return False
        if node.type == "call":
            function = node.child_by_field_name("function")
            parts = dotted(function) if function is not None else None
            full = resolver.canonical(module, (scope, module.scope), parts) if parts else None
            if full is None or full.partition(".")[0] not in {"triton", "math"}:
                return False
        pending.extend(node.named_children)
    return True
