"""What a dotted name means where it stands: a definition in the repository, something that torch,
triton or the standard library provide, a third party's, or nothing at all.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ingest.extract.imports import REMAINING, REMAINING_PALLAS, Imported, may_remain
from ingest.extract.outline import Binding, Clause, Leaf, Scope
from ingest.extract.records import Language
from ingest.extract.repository import Module, Repository
from ingest.extract.syntax import dotted

Taken = Mapping[tuple[str, int], int]
"""Which branch of a compound statement is taken as given, by path and start of the compound."""

BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__builtins__"}
IMPORT_DEPTH = 40

CERTAIN = frozenset(
    {
        "torch",
        "torch.nn",
        "torch.nn.functional",
        "torch.autograd",
        "torch.distributed",
        "triton",
        "triton.language",
        "triton.testing",
        "triton.runtime",
        "triton.experimental",
        "triton.experimental.gluon",
        "triton.experimental.gluon.language",
    }
)
"""Modules that every torch and triton of today has: a guard around their import guards nothing."""


class External(NamedTuple):
    """Imported and left imported: `import module`, or `from module import attribute`.

    What serves as a key is a NamedTuple, because it is made and hashed for every use of a name.
    """

    module: str
    attribute: str | None
    binds_root: bool = False

    @property
    def dotted(self) -> str:
        return f"{self.module}.{self.attribute}" if self.attribute else self.module


@dataclass(frozen=True, slots=True)
class Foreign:
    """Imported from a package that is neither here nor allowed to remain."""

    module: str


class Local(NamedTuple):
    """Defined in a scope of the repository; `scope` is -1 for a module's own."""

    path: str
    scope: int
    name: str


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of the repository, as a value."""

    path: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the function around."""

    function: str
    name: str


class Builtin(NamedTuple):
    name: str


@dataclass(frozen=True, slots=True)
class Unknown:
    name: str


Target = External | Foreign | Local | ModuleValue | Parameter | Builtin | Unknown


class Reference(NamedTuple):
    """A target and how many of the dotted parts it stands for."""

    target: Target
    parts: int = 1


class Resolver:
    """Says what names mean. `packages` are those whose imports a standalone unit may keep."""

    def __init__(self, repository: Repository, packages: frozenset[str] = REMAINING) -> None:
        self.repository = repository
        self.packages = packages
        self._exports: dict[tuple[str, str], Target | None] = {}
        self._depth = 0

    @cached_property
    def _for_pallas(self) -> Resolver:
        return Resolver(self.repository, REMAINING_PALLAS)

    def for_language(self, language: Language) -> Resolver:
        """The resolver for a language: Pallas keeps JAX, the others keep torch and Triton."""
        return self._for_pallas if language == "pallas" else self

    def may_remain(self, module: str) -> bool:
        """Whether a standalone unit may import this absolute module."""
        return may_remain(module, self.packages)

    def reference(
        self, module: Module, scopes: Sequence[Scope], parts: Sequence[str], taken: Taken
    ) -> Reference:
        """The meaning of `parts` for code that sees these scopes, innermost first."""
        name = parts[0]
        for scope in scopes:
            bindings = visible(scope.bindings(name), taken)
            if bindings:
                return self._bound(module, scope, parts, bindings, taken)
            if name in scope.parameters:
                return Reference(Parameter(scope.name, name))
            for star in reversed(scope.stars):
                found = self._through_star(module.path, star, name)
                if found is not None:
                    return Reference(found)
        return Reference(Builtin(name) if name in BUILTINS else Unknown(name))

    def canonical(
        self, module: Module, scopes: Sequence[Scope], parts: Sequence[str]
    ) -> str | None:
        """The full dotted name under torch, triton or the stdlib, through aliases; else None."""
        for _ in range(IMPORT_DEPTH):
            found = self.reference(module, scopes, parts, {})
            target = found.target
            if isinstance(target, External):
                root = target.module.partition(".")[0] if target.binds_root else target.dotted
                return ".".join((root, *parts[found.parts :]))
            if not isinstance(target, Local):
                return None
            alias = self._alias_of(target)
            if alias is None:
                return None
            module, scope, value = alias
            scopes = (scope,) if scope.start < 0 else (scope, module.scope)
            parts = (*value, *parts[found.parts :])
        return None

    def bindings(self, local: Local, taken: Taken, before: int | None = None) -> list[Binding]:
        """The places that give this name its value, in the order of the file.

        Of several values the last one counts, but for a kernel's own scope the last one `before`
        it: decorators and defaults are evaluated there and then.
        """
        module = self.repository.module(local.path)
        if module is None:
            return []
        found = visible(module.scope_at(local.scope).bindings(local.name), taken)
        if before is not None:
            found = [binding for binding in found if binding.leaf.start < before] or found
        kept: list[Binding] = []
        for binding in reversed(found):
            kept.append(binding)
            if not remaining(binding.leaf, taken) and not _builds_on(binding.leaf, local.name):
                break
        return kept[::-1]

    def _alias_of(self, local: Local) -> tuple[Module, Scope, tuple[str, ...]] | None:
        module = self.repository.module(local.path)
        if module is None:
            return None
        scope = module.scope_at(local.scope)
        for binding in reversed(scope.bindings(local.name)):
            node = binding.leaf.node
            inner = node.named_children[0] if node.named_children else None
            if inner is None or inner.type != "assignment":
                continue
            value = inner.child_by_field_name("right")
            parts = dotted(value) if value is not None else None
            if parts and parts != (local.name,):
                return module, scope, parts
        return None

    def _bound(
        self,
        module: Module,
        scope: Scope,
        parts: Sequence[str],
        bindings: list[Binding],
        taken: Taken,
    ) -> Reference:
        imported = self._chosen_import(module, bindings, taken)
        if imported is None:
            return Reference(Local(module.path, scope.start, parts[0]))
        return self._follow(module.path, imported, parts)

    def _chosen_import(
        self, module: Module, bindings: list[Binding], taken: Taken
    ) -> Imported | None:
        """The one import that a name comes from, or None where statements must stay in place."""
        last = bindings[-1]
        if not remaining(last.leaf, taken):
            return last.imported
        imports = [binding.imported for binding in bindings if binding.imported]
        if not imports:
            return None
        if len(imports) == len(bindings) and len({_meaning(i) for i in imports}) == 1:
            return imports[0]
        for imported in imports:
            if self._is_certain(module.path, imported):
                return imported
        for imported in imports:
            if self.repository.locate(module.path, imported.module, imported.level):
                return imported
        return None

    def _is_certain(self, importer: str, imported: Imported) -> bool:
        absolute = self._absolute(importer, imported)
        full = f"{absolute}.{imported.attribute}" if imported.attribute else absolute
        root = absolute.partition(".")[0]
        if full in CERTAIN or (root in sys.stdlib_module_names and root != "typing"):
            return True
        path = self.repository.locate(importer, imported.module, imported.level)
        if path is None or imported.attribute is None or self.may_remain(absolute):
            return False
        found = self._exported(path, imported.attribute)
        return isinstance(found, External) and found.dotted in CERTAIN

    def _absolute(self, importer: str, imported: Imported) -> str:
        if not imported.level:
            return imported.module
        package = self.repository.package_of(importer).split(".")
        above = package[: len(package) - imported.level + 1]
        return ".".join(part for part in (*above, imported.module) if part)

    def _follow(self, importer: str, imported: Imported, parts: Sequence[str]) -> Reference:
        absolute = self._absolute(importer, imported)
        if self.may_remain(absolute):
            if imported.binds_root:
                return Reference(External(imported.module, None, True))
            return Reference(External(absolute, imported.attribute))
        if imported.attribute is not None:
            target = self._member(importer, imported)
            if isinstance(target, ModuleValue):
                return self._into(target, parts, 1)
            return Reference(target)
        if not imported.binds_root:
            path = self.repository.locate(importer, imported.module, 0)
            found = ModuleValue(path) if path else None
            return self._into(found, parts, 1) if found else Reference(Foreign(imported.module))
        for length in range(len(parts), 0, -1):
            path = self.repository.locate(importer, ".".join(parts[:length]), 0)
            if path:
                return self._into(ModuleValue(path), parts, length)
        return Reference(Foreign(imported.module))

    def _member(self, importer: str, imported: Imported) -> Target:
        name = imported.attribute or ""
        path = self.repository.locate(importer, imported.module, imported.level)
        if path is not None:
            found = self._exported(path, name)
            if not isinstance(found, Unknown):
                return found
        dotted_name = ".".join(part for part in (imported.module, name) if part)
        below = self.repository.locate(importer, dotted_name, imported.level)
        if below is not None:
            return ModuleValue(below)
        if path is not None:
            return Unknown(f"{self._absolute(importer, imported)}.{name}")
        return Foreign("." * imported.level + imported.module)

    def _into(self, value: ModuleValue, parts: Sequence[str], used: int) -> Reference:
        """Follow attributes of a module as far as they lead to a definition."""
        for _ in range(IMPORT_DEPTH):
            if used >= len(parts):
                break
            found = self._exported(value.path, parts[used])
            if isinstance(found, Unknown):
                folder = value.path.removesuffix("__init__.py").removesuffix("/")
                below = self.repository.module_file(folder, parts[used])
                if below is None:
                    return Reference(Unknown(".".join(parts[: used + 1])), used + 1)
                found = ModuleValue(below)
            used += 1
            if not isinstance(found, ModuleValue):
                return Reference(found, used)
            value = found
        return Reference(value, used)

    def _exported(self, path: str, name: str) -> Target:
        """What `name` means as an attribute of the module at `path`."""
        key = (path, name)
        if key in self._exports:
            # None while it is being looked up: an import cycle.
            return self._exports[key] or Unknown(name)
        module = self.repository.module(path)
        if module is None or self._depth > IMPORT_DEPTH:
            return Unknown(name)
        self._exports[key] = None
        self._depth += 1
        found = self.reference(module, (module.scope,), (name,), {}).target
        self._depth -= 1
        if isinstance(found, Builtin):
            found = Unknown(name)
        self._exports[key] = found
        return found

    def _through_star(self, importer: str, star: Imported, name: str) -> Target | None:
        if name in BUILTINS:
            return None
        absolute = self._absolute(importer, star)
        if self.may_remain(absolute):
            return External(absolute, name)
        path = self.repository.locate(importer, star.module, star.level)
        if path is None or name.startswith("_"):
            return None
        found = self._exported(path, name)
        return None if isinstance(found, Unknown) else found


def visible(bindings: Iterable[Binding], taken: Taken) -> list[Binding]:
    """Without what stands in a branch that is known not to run."""
    return [b for b in bindings if not any(_excluded(b.leaf, c, taken) for c in b.leaf.clauses)]


def remaining(leaf: Leaf, taken: Taken) -> tuple[Clause, ...]:
    """The clauses around a leaf that are not taken as given."""
    path = leaf.source.path
    return tuple(
        clause
        for clause in leaf.clauses
        if taken.get((path, clause.compound)) != clause.index and not clause.guards_triton
    )


def _excluded(leaf: Leaf, clause: Clause, taken: Taken) -> bool:
    chosen = taken.get((leaf.source.path, clause.compound))
    if chosen is not None:
        return chosen != clause.index and (clause.compound_kind == "if" or clause.kind == "except")
    return clause.kind == "if" and b"__main__" in leaf.source.data[clause.start : clause.header_end]


def _builds_on(leaf: Leaf, name: str) -> bool:
    """Whether this statement needs the name's earlier value: `x = f(x)`, `x += 1`."""
    if leaf.is_definition or leaf.imports:
        return False
    return any(token.name == name for token in leaf.names.loads) or (
        b"+=" in leaf.source.data[leaf.start : leaf.node.end_byte]
    )


def _meaning(imported: Imported) -> tuple[str, int, str | None]:
    return imported.module, imported.level, imported.attribute
