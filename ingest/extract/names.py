"""Names that a piece of code reads from the scopes around it, and names that it binds.

Implements Python's scope rules for one subtree, without recursion.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from ingest.extract.imports import Imported, read_import
from ingest.extract.syntax import captures, text_of

STORES = """
(assignment left: (identifier) @store)
(augmented_assignment left: (identifier) @store)
(pattern_list (identifier) @store)
(tuple_pattern (identifier) @store)
(list_pattern (identifier) @store)
(list_splat_pattern (identifier) @store)
(dictionary_splat_pattern (identifier) @store)
(for_statement left: (identifier) @store)
(for_in_clause left: (identifier) @store)
(as_pattern_target (identifier) @store)
(as_pattern_target (tuple (identifier) @store))
(function_definition name: (identifier) @store)
(class_definition name: (identifier) @store)
(type_alias_statement left: (type (identifier) @store))
(type_alias_statement left: (type (generic_type . (identifier) @store)))
(type_alias_statement left: (type (generic_type (type_parameter (type (identifier) @store)))))
(import_statement) @import
(import_from_statement) @import
(case_pattern (dotted_name . (identifier) @pattern .))
(named_expression name: (identifier) @walrus)
"""

ROLES = f"""{STORES}
(identifier) @name
(attribute attribute: (identifier) @member)
(keyword_argument name: (identifier) @member)
(keyword_pattern . (identifier) @member)
(dotted_name (identifier) @dotted)
(future_import_statement) @import
(global_statement (identifier) @global)
(nonlocal_statement (identifier) @global @nonlocal)
(function_definition) @function
(lambda) @function
(class_definition) @class
(list_comprehension) @comprehension
(set_comprehension) @comprehension
(dictionary_comprehension) @comprehension
(generator_expression) @comprehension
"""


TYPE_PARAMETER = "(type_parameter (type . (identifier) @name))"


class Token(NamedTuple):
    """An identifier in the text. A large file has 100,000s of them, so it is a NamedTuple."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Names:
    """Names of a subtree, as seen from the scope around it."""

    loads: tuple[Token, ...] = ()
    stores: tuple[Token, ...] = ()
    inner: frozenset[str] = frozenset()
    """All names that inner scopes bind. A definition must not be renamed to one of them."""
    imports: tuple[tuple[int, Imported], ...] = ()
    """Imports inside the subtree, each with the offset of its statement."""
    rebinds_outer: bool = False
    """Whether a function inside declares a `nonlocal` name. Such a function can't be moved."""


@dataclass(slots=True, eq=False)
class _Scope:
    start: int
    end: int
    kind: str
    parent: _Scope | None = None
    bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    """Names declared `global` or `nonlocal`. They belong to the scope around the subtree."""


def names_of(node: Node) -> Names:
    """Resolve every identifier under `node`. Names bound outside of inner scopes are stores."""
    nodes = captures(ROLES, node)
    top, scopes = _scopes(node, nodes)
    owners = _Owners(scopes, top)
    statements = nodes.get("import", ())
    imports = [(n.start_byte, imported) for n in statements for imported in read_import(n)]
    spans = [(n.start_byte, n.end_byte) for n in statements]
    for offset, imported in imports:
        owners.at(offset).bound.add(imported.name)
    for declaration in nodes.get("global", ()):
        owners.at(declaration.start_byte).outer.add(text_of(declaration))
    store_scopes = _stores(nodes, owners)
    skipped = {n.start_byte for role in ("member", "dotted") for n in nodes.get(role, ())}
    skipped -= {n.start_byte for n in nodes.get("pattern", ())}
    identifiers = [
        Token(text_of(n), n.start_byte, n.end_byte)
        for n in nodes.get("name", ())
        if n.start_byte not in skipped or n.start_byte in store_scopes
    ]
    for token in identifiers:
        if token.start in store_scopes:
            store_scopes[token.start].bound.add(token.name)
    loads: list[Token] = []
    stores: list[Token] = []
    for token in identifiers:
        start = token.start
        if start in skipped or (spans and _inside(spans, start)):
            continue
        scope = store_scopes.get(start) or owners.at(start)
        if scope is top or _belongs_to_top(token.name, scope, top):
            (stores if start in store_scopes else loads).append(token)
    inner = frozenset().union(*(s.bound for s in scopes)) if scopes else frozenset()
    return Names(tuple(loads), tuple(stores), inner, tuple(imports), bool(nodes.get("nonlocal")))


def _scopes(node: Node, nodes: dict[str, list[Node]]) -> tuple[_Scope, list[_Scope]]:
    top = _Scope(node.start_byte, node.end_byte, "top")
    scopes: list[_Scope] = []
    for kind in ("function", "class", "comprehension"):
        for opener in nodes.get(kind, ()):
            body = opener if kind == "comprehension" else opener.child_by_field_name("body")
            if body is not None:
                scopes.append(_Scope(body.start_byte, body.end_byte, kind))
            if typed := _type_parameters(opener):
                scopes.append(_Scope(typed.start_byte, opener.end_byte, "function"))
    scopes.sort(key=lambda s: (s.start, -s.end))
    enclosing = [top]
    for scope in scopes:
        while enclosing[-1] is not top and enclosing[-1].end <= scope.start:
            enclosing.pop()
        scope.parent = enclosing[-1]
        enclosing.append(scope)
    return top, scopes


class _Owners:
    """Lookup of the innermost scope at an offset, by bisection."""

    def __init__(self, scopes: list[_Scope], top: _Scope) -> None:
        self._scopes, self._top = scopes, top
        self._starts = [scope.start for scope in scopes]

    def at(self, offset: int) -> _Scope:
        index = bisect_right(self._starts, offset) - 1
        scope: _Scope | None = self._scopes[index] if index >= 0 else self._top
        while scope is not None and scope is not self._top and scope.end <= offset:
            scope = scope.parent
        return scope or self._top

    def starting_at(self, offset: int) -> _Scope:
        index = bisect_right(self._starts, offset - 1)
        starts_here = index < len(self._scopes) and self._scopes[index].start == offset
        return self._scopes[index] if starts_here else self.at(offset)


def _stores(nodes: dict[str, list[Node]], owners: _Owners) -> dict[int, _Scope]:
    """Return the scope of each binding identifier, by the identifier's offset."""
    scopes: dict[int, _Scope] = {}
    for role in ("store", "pattern", "walrus"):
        for identifier in nodes.get(role, ()):
            scope = owners.at(identifier.start_byte)
            while role == "walrus" and scope.kind == "comprehension" and scope.parent:
                scope = scope.parent
            scopes[identifier.start_byte] = scope
    for role in ("function", "class"):
        for node in nodes.get(role, ()):
            body = node.child_by_field_name("body")
            if body is None:
                continue
            for identifier in parameter_names(node):
                scopes[identifier.start_byte] = owners.starting_at(body.start_byte)
            if typed := _type_parameters(node):
                for identifier in captures(TYPE_PARAMETER, typed).get("name", ()):
                    scopes[identifier.start_byte] = owners.starting_at(typed.start_byte)
    return scopes


def parameter_names(function: Node) -> list[Node]:
    """Return the identifiers that a parameter list of a function or lambda binds."""
    parameters = function.child_by_field_name("parameters")
    names: list[Node] = []
    for parameter in parameters.named_children if parameters is not None else ():
        node: Node | None = parameter
        while node is not None and node.type != "identifier":
            node = node.child_by_field_name("name") or next(iter(node.named_children), None)
        if node is not None:
            names.append(node)
    return names


def _type_parameters(node: Node) -> Node | None:
    return node.child_by_field_name("type_parameters")


def _belongs_to_top(name: str, scope: _Scope, top: _Scope) -> bool:
    in_class_body = True
    current: _Scope | None = scope
    while current is not None and current is not top:
        if name in current.outer:
            return True
        # Code in functions inside a class body does not see the names of the class body.
        if name in current.bound and (current.kind != "class" or in_class_body):
            return False
        in_class_body = in_class_body and current.kind == "comprehension"
        current = current.parent
    return True


def _inside(spans: list[tuple[int, int]], offset: int) -> bool:
    index = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return index >= 0 and offset < spans[index][1]
