"""Meaning of every name in one statement, and what the standalone unit needs for these names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from ingest.extract.imports import Imported
from ingest.extract.kernels import decorators_of, jit_language
from ingest.extract.module import Module
from ingest.extract.names import Names, Token
from ingest.extract.outline import Leaf, Scope, definition_of
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver, Taken
from ingest.extract.syntax import dotted
from ingest.extract.targets import (
    Builtin,
    External,
    Foreign,
    Key,
    Local,
    ModuleValue,
    Parameter,
    Reference,
    Resolution,
    Use,
)

CHAIN = re.compile(rb"(?:\s*\.\s*[^\W\d]\w*)+")

LAUNCH_WRAPPERS = frozenset({"libentry", "libtuner"})
"""Third-party decorators that change how a kernel is launched, but not what it computes."""

TUNING = frozenset(
    {
        "triton.autotune",
        "triton.heuristics",
        "triton.runtime.autotuner.autotune",
        "triton.runtime.autotuner.heuristics",
    }
)


class MeaningReader:
    """Resolver of names in statements with the same scopes. Its result is one `Resolution`."""

    def __init__(
        self,
        repository: Repository,
        resolver: Resolver,
        module: Module,
        scopes: Sequence[Scope],
        taken: Taken,
    ) -> None:
        self._repository = repository
        self._resolver = resolver
        self._module = module
        self._scopes = scopes
        self._taken = taken
        self.resolution = Resolution()

    def read(self, node: Node, leaf: Leaf | None, names: Names, drop_tuning: bool) -> Resolution:
        spans = tuple(self._dropped(node, drop_tuning))
        self.resolution.dropped = spans
        self.read_loads(
            token
            for token in names.loads
            if not any(start <= token.start < end for start, end in spans)
        )
        for token in names.stores:
            key = Local(self._module.path, self._scopes[0].start, token.name)
            self.resolution.uses.append(Use(token.start, token.end, key, token.name))
        if leaf is not None and leaf.imports:
            self._conditional_imports(leaf.imports)
        else:
            self._inner_imports(names)
        return self.resolution

    def read_loads(self, loads: Iterable[Token]) -> None:
        module, keys = self._module, dict[str, Key | None]()
        for token in loads:
            if token.name in keys:
                key = keys[token.name]
                if key is not None:
                    self.resolution.uses.append(Use(token.start, token.end, key, token.name))
                continue
            parts, ends = dotted_name(module.source.data, token)
            reference = self._resolver.reference(module, self._scopes, parts, self._taken)
            key = self._key(reference, parts)
            if _means_the_same_everywhere(reference):
                keys[token.name] = key
            if key is not None:
                end = ends[reference.parts - 1]
                spelled = module.source.data[token.start : end].decode("utf-8")
                self.resolution.uses.append(Use(token.start, end, key, spelled))

    def _key(self, reference: Reference, parts: tuple[str, ...]) -> Key | None:
        target = reference.target
        if isinstance(target, External):
            return self._external(target, parts)
        if isinstance(target, Builtin):
            return target
        if isinstance(target, Local):
            self.resolution.needs[target] = None
            return target
        if isinstance(target, Foreign):
            self._foreign(target.module, parts[0])
        elif isinstance(target, ModuleValue):
            self._reason(f"It uses the module {target.path} as a value (as {parts[0]}).")
        elif isinstance(target, Parameter):
            self._reason(
                f"It captures {target.name}, a parameter of the function {target.function} "
                "around it."
            )
        else:
            self.resolution.missing[target.name] = None
        return None

    def _external(self, target: External, parts: tuple[str, ...]) -> External:
        if not target.binds_root:
            return target
        prefix = ".".join(parts) + "."
        for scope in self._scopes:
            for binding in scope.bindings(parts[0]):
                imported = binding.imported
                if imported is None or not imported.binds_root or "." not in imported.module:
                    continue
                if prefix.startswith(imported.module + "."):
                    self.resolution.submodules[imported.module] = None
        return External(parts[0], None)

    def _conditional_imports(self, imports: Iterable[Imported]) -> None:
        for imported in imports:
            if imported.level or not self._resolver.may_remain(imported.module):
                module = "." * imported.level + imported.module
                self._reason(f"It needs {module} under a condition.")

    def _inner_imports(self, names: Names) -> None:
        for _, imported in names.imports:
            module = "." * imported.level + imported.module
            if self._repository.locate(self._module.path, imported.module, imported.level):
                self._reason(f"It imports {module} inside a function.")
            elif imported.level or not self._resolver.may_remain(imported.module):
                self._foreign(module, imported.name)

    def _foreign(self, module: str, name: str) -> None:
        self._reason(
            f"It needs {module}, which is neither {', '.join(sorted(self._resolver.packages))}, "
            f"the standard library nor part of the repository (as {name})."
        )

    def _reason(self, reason: str) -> None:
        self.resolution.reasons[reason] = None

    def _dropped(self, node: Node, drop_tuning: bool) -> Iterator[tuple[int, int]]:
        """Yield the spans of the decorators that are left out, and add a note for each of them."""
        if node.type != "decorated_definition":
            return
        if definition_of(node).type != "function_definition":
            return
        decorators = decorators_of(node)
        if not any(jit_language(self._module, d, self._resolver) for d in decorators):
            return
        around = self._module.nesting.around(node.start_byte)
        in_class = bool(around) and around[0].type == "class_definition"
        for decorator in decorators:
            called = decorator.child_by_field_name("function") or decorator
            parts = dotted(called)
            if parts is None or decorator.parent is None:
                continue
            full = self._resolver.canonical(self._module, self._scopes, parts)
            static = in_class and parts == ("staticmethod",)
            wrapper = full is None and parts[-1] in LAUNCH_WRAPPERS
            self.resolution.tuned |= full in TUNING and not drop_tuning
            if static or wrapper or (drop_tuning and full in TUNING):
                self.resolution.notes[f"Left out the decorator @{'.'.join(parts)}."] = None
                yield decorator.parent.start_byte, decorator.parent.end_byte


def _means_the_same_everywhere(reference: Reference) -> bool:
    """Return whether a name keeps this target, independent of the attributes that follow it."""
    target = reference.target
    if reference.parts != 1 or isinstance(target, ModuleValue):
        return False
    return not (isinstance(target, External) and target.binds_root)


def dotted_name(data: bytes, token: Token) -> tuple[tuple[str, ...], list[int]]:
    """Return the dotted name that starts at a token, and the end offset of each of its parts."""
    parts, ends = [token.name], [token.end]
    if data[token.end : token.end + 1] in b". \t\n\\" and (m := CHAIN.match(data, token.end)):
        for part in re.finditer(rb"\w+", m.group()):
            parts.append(part.group().decode("utf-8"))
            ends.append(token.end + part.end())
    return tuple(parts), ends
