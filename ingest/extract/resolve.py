"""Resolution of dotted names to definitions in the repository, or to objects of packages."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ingest.extract.imports import REMAINING, REMAINING_PALLAS, Imported, may_remain
from ingest.extract.module import Module
from ingest.extract.outline import Binding, Clause, Leaf, Scope
from ingest.extract.records import Language
from ingest.extract.repository import Repository
from ingest.extract.syntax import dotted
from ingest.extract.targets import (
    Builtin,
    External,
    Foreign,
    Local,
    ModuleValue,
    Parameter,
    Reference,
    Target,
    Unknown,
)

Taken = Mapping[tuple[str, int], int]
"""Branch that is assumed to run, by path and start offset of its compound statement."""

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
"""Modules that every current torch and triton has. A guard around their import has no effect."""

PASSED_ON = {"triton": External("triton", None), "tl": External("triton.language", None)}
"""Names under which other packages export Triton's modules, as in `vllm.triton_utils.tl`."""


class Resolver:
    """Resolver of names. `packages`: the packages that a standalone unit may import."""

    def __init__(self, repository: Repository, packages: frozenset[str] = REMAINING) -> None:
        self.repository = repository
        self.packages = packages
        self._exports: dict[tuple[str, str], Target | None] = {}
        self._depth = 0

    @cached_property
    def _for_pallas(self) -> Resolver:
        return Resolver(self.repository, REMAINING_PALLAS)

    def for_language(self, language: Language) -> Resolver:
        """Return the resolver for a language: Pallas may import JAX, others torch and Triton."""
        return self._for_pallas if language == "pallas" else self

    def may_remain(self, module: str) -> bool:
        """Return whether a standalone unit may import this absolute module."""
        return may_remain(module, self.packages)

    def reference(
        self, module: Module, scopes: Sequence[Scope], parts: Sequence[str], taken: Taken
    ) -> Reference:
        """Return the meaning of `parts` for code that sees these scopes, innermost first."""
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
        """Return the full name of an object of torch, triton or the stdlib, or else None."""
        for _ in range(IMPORT_DEPTH):
            reference = self.reference(module, scopes, parts, {})
            target = reference.target
            if isinstance(target, External):
                root = target.module.partition(".")[0] if target.binds_root else target.dotted
                return ".".join((root, *parts[reference.parts :]))
            if not isinstance(target, Local):
                return None
            alias = self._alias_of(target)
            if alias is None:
                return None
            module, scope, value = alias
            scopes = (scope,) if scope.start < 0 else (scope, module.scope)
            parts = (*value, *parts[reference.parts :])
        return None

    def bindings(self, local: Local, taken: Taken, before: int | None = None) -> list[Binding]:
        """Return the statements that give this name its value, in file order. The last one decides.

        `before` is the kernel's offset if the name is in the kernel's own scope. Then only earlier
        statements count, because decorators and defaults are evaluated at that offset.
        """
        module = self.repository.module(local.path)
        if module is None:
            return []
        values = visible(module.scope_at(local.scope).bindings(local.name), taken)
        if before is not None:
            values = [binding for binding in values if binding.leaf.start < before] or values
        results: list[Binding] = []
        for binding in reversed(values):
            results.append(binding)
            if not remaining(binding.leaf, taken) and not _builds_on(binding.leaf, local.name):
                break
        return results[::-1]

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
        """Return the import that gives a name its value, or None if the module defines it."""
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
        target = self._exported(path, imported.attribute)
        return isinstance(target, External) and target.dotted in CERTAIN

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
        # Try the shortest path first: a package may bind a function with the name of its submodule.
        for length in range(1, len(parts) + 1):
            path = self.repository.locate(importer, ".".join(parts[:length]), 0)
            if path:
                return self._into(ModuleValue(path), parts, length)
        return Reference(Foreign(imported.module))

    def _member(self, importer: str, imported: Imported) -> Target:
        name = imported.attribute or ""
        path = self.repository.locate(importer, imported.module, imported.level)
        if path is not None:
            target = self._exported(path, name)
            if not isinstance(target, Unknown):
                return target
        dotted_name = ".".join(part for part in (imported.module, name) if part)
        below = self.repository.locate(importer, dotted_name, imported.level)
        if below is not None:
            return ModuleValue(below)
        if path is not None:
            return Unknown(f"{self._absolute(importer, imported)}.{name}")
        if not imported.level and "triton" in imported.module and name in PASSED_ON:
            return PASSED_ON[name]
        return Foreign("." * imported.level + imported.module)

    def _into(self, value: ModuleValue, parts: Sequence[str], index: int) -> Reference:
        """Resolve attributes of a module, up to the first attribute that is not a module."""
        for _ in range(IMPORT_DEPTH):
            if index >= len(parts):
                break
            target = self._exported(value.path, parts[index])
            if isinstance(target, Unknown):
                folder = value.path.removesuffix("__init__.py").removesuffix("/")
                file = self.repository.module_file(folder, parts[index])
                if file is None:
                    return Reference(Unknown(".".join(parts[: index + 1])), index + 1)
                target = ModuleValue(file)
            index += 1
            if not isinstance(target, ModuleValue):
                return Reference(target, index)
            value = target
        return Reference(value, index)

    def _exported(self, path: str, name: str) -> Target:
        """Return the meaning of `name` as an attribute of the module at `path`."""
        key = (path, name)
        if key in self._exports:
            # None: the lookup has not ended yet, so the imports form a cycle.
            return self._exports[key] or Unknown(name)
        module = self.repository.module(path)
        if module is None or self._depth > IMPORT_DEPTH:
            return Unknown(name)
        self._exports[key] = None
        self._depth += 1
        target = self.reference(module, (module.scope,), (name,), {}).target
        self._depth -= 1
        if isinstance(target, Builtin):
            target = Unknown(name)
        self._exports[key] = target
        return target

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
    """Return the bindings except those in branches that are known not to run."""
    return [b for b in bindings if not any(_excluded(b.leaf, c, taken) for c in b.leaf.clauses)]


def remaining(leaf: Leaf, taken: Taken) -> tuple[Clause, ...]:
    """Return the clauses around a leaf, except those that are assumed to run."""
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
    """Return whether this statement uses the name's earlier value: `x = f(x)`, `x += 1`."""
    if leaf.is_definition or leaf.imports:
        return False
    return any(token.name == name for token in leaf.names.loads) or (
        b"+=" in leaf.source.data[leaf.start : leaf.node.end_byte]
    )


def _meaning(imported: Imported) -> tuple[str, int, str | None]:
    return imported.module, imported.level, imported.attribute
