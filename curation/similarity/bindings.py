"""Bindings of identifiers: to a local name, to an import, or to nothing."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from tree_sitter import Node

from curation.similarity.tree import captures, text_of

BINDERS = """
(assignment left: (identifier) @name)
(augmented_assignment left: (identifier) @name)
(named_expression name: (identifier) @name)
(pattern_list (identifier) @name)
(tuple_pattern (identifier) @name)
(list_pattern (identifier) @name)
(list_splat_pattern (identifier) @name)
(dictionary_splat_pattern (identifier) @name)
(for_statement left: (identifier) @name)
(for_in_clause left: (identifier) @name)
(as_pattern_target (identifier) @name)
(class_definition name: (identifier) @name)
(function_definition) @function
(lambda) @function
(import_statement) @import
(import_from_statement) @import
"""
ASSUMED = {"tl": ("triton", "language"), "triton": ("triton",), "torch": ("torch",)}
"""Origin of names that a text uses without importing them."""


@dataclass(slots=True, eq=False)
class NameScope:
    """The names that a function or the module binds, and the range of its text in bytes."""

    start: int
    end: int
    parent: NameScope | None
    bound: set[str] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Bindings:
    module: NameScope
    scopes: list[NameScope]
    imports: dict[str, tuple[str, ...]]
    parameters: dict[str, tuple[str, ...]]
    """Parameters of each function in the text, by the function's name."""
    _starts: list[int] = field(default_factory=list)

    def scope_of(self, name: str, offset: int) -> NameScope | None:
        """Return the scope that binds this name, or None if the text does not bind it."""
        index = bisect_right(self._starts, offset) - 1
        scope: NameScope | None = self.scopes[index] if index >= 0 else self.module
        while scope is not None and (scope.end <= offset or name not in scope.bound):
            scope = scope.parent
        return scope

    def origin(self, name: str) -> tuple[str, ...] | None:
        """Return the origin of an imported name as a dotted path."""
        return self.imports.get(name) or ASSUMED.get(name)


def read_bindings(root: Node) -> Bindings:
    captured = captures(BINDERS, root)
    module = NameScope(-1, root.end_byte + 1, None)
    functions = sorted(captured.get("function", ()), key=lambda node: node.start_byte)
    bindings = Bindings(module, [], {}, {})
    around = [module]
    for function in functions:
        while around[-1].end <= function.start_byte:
            around.pop()
        scope = NameScope(function.start_byte, function.end_byte, around[-1])
        scope.bound.update(names := parameters_of(function))
        if (name := function.child_by_field_name("name")) is not None:
            around[-1].bound.add(text_of(name))
            bindings.parameters.setdefault(text_of(name), names)
        bindings.scopes.append(scope)
        around.append(scope)
    bindings._starts = [scope.start for scope in bindings.scopes]
    for node in captured.get("name", ()):
        _innermost(bindings, node.start_byte).bound.add(text_of(node))
    for node in captured.get("import", ()):
        bindings.imports.update(_imported(node))
    return bindings


def parameters_of(function: Node) -> tuple[str, ...]:
    parameters = function.child_by_field_name("parameters")
    names: list[str] = []
    for parameter in parameters.named_children if parameters is not None else ():
        node: Node | None = parameter
        while node is not None and node.type != "identifier":
            node = node.child_by_field_name("name") or next(iter(node.named_children), None)
        if node is not None:
            names.append(text_of(node))
    return tuple(names)


def _innermost(bindings: Bindings, offset: int) -> NameScope:
    index = bisect_right(bindings._starts, offset) - 1
    scope: NameScope | None = bindings.scopes[index] if index >= 0 else None
    while scope is not None and scope.end <= offset:
        scope = scope.parent
    return scope or bindings.module


def _imported(node: Node) -> dict[str, tuple[str, ...]]:
    module = node.child_by_field_name("module_name")
    prefix = _dotted(module) if module is not None else ()
    imports: dict[str, tuple[str, ...]] = {}
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias")
        name = child.child_by_field_name("name")
        path = _dotted(name if name is not None else child)
        if not path:
            continue
        if alias is not None:
            imports[text_of(alias)] = (*prefix, *path)
        elif module is not None:
            imports[path[0]] = (*prefix, *path)
        else:
            # `import a.b` binds `a`.
            imports[path[0]] = path[:1]
    return imports


def _dotted(node: Node) -> tuple[str, ...]:
    return tuple(part.strip() for part in text_of(node).split(".") if part.strip())
