"""Pallas kernels: functions that are passed to `pallas_call`, and their backend.

Pallas is JAX's kernel language. Only kernels that JAX compiles with Triton are kept. Kernels for
TPU and Mosaic GPU are left out, each with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from ingest.extract.meaning import dotted_name
from ingest.extract.module import FoundKernel, Module
from ingest.extract.names import names_of
from ingest.extract.outline import definition_of
from ingest.extract.records import Launcher, Problem, StandaloneUnit
from ingest.extract.references import KernelId, function_around, launcher_around
from ingest.extract.resolve import Resolver
from ingest.extract.syntax import captures, dotted, text_of
from ingest.extract.targets import Local

Backend = Literal["triton", "tpu", "mosaic-gpu"]

CALL = b"pallas_call"
CALLS = frozenset(
    {
        "jax.experimental.pallas.pallas_call",
        "jax._src.pallas.pallas_call",
        "jax._src.pallas.pallas_call.pallas_call",
    }
)
PARTIALS = frozenset({"functools.partial", "jax.tree_util.Partial"})
BACKENDS: dict[str, Backend] = {
    "jax.experimental.pallas.triton": "triton",
    "jax.experimental.pallas.gpu": "triton",
    "jax._src.pallas.triton": "triton",
    "jax.experimental.pallas.tpu": "tpu",
    "jax.experimental.pallas.tpu_sc": "tpu",
    "jax._src.pallas.mosaic": "tpu",
    "jax.experimental.pallas.mosaic_gpu": "mosaic-gpu",
    "jax._src.pallas.mosaic_gpu": "mosaic-gpu",
}
"""Pallas modules that belong to one backend. `pallas.gpu` was Triton's name until 2024."""
NAMES = {"tpu": "TPU", "mosaic-gpu": "Mosaic GPU"}

IMPORT = re.compile(r"^[ \t]*(?:import ([\w.]+)|from ([\w.]+) import ([^\n#]+))", re.M)
VALUE_LIMIT = 50
"""Maximum number of expressions to examine for the kernels of one `pallas_call`."""


@dataclass(frozen=True, slots=True)
class PallasCall:
    """One `pallas_call` with one kernel that it may run."""

    kernel: KernelId
    launcher: Launcher | None
    used: frozenset[Backend]
    """Backends whose modules the launcher uses."""
    imported: frozenset[Backend]
    """Backends whose modules the launcher's file imports."""


def pallas_calls(module: Module, resolver: Resolver) -> Iterator[PallasCall]:
    """Yield every `pallas_call` of a module with each function that may be passed to it.

    `resolver` must be the resolver for Pallas: see `Resolver.for_language`.
    """
    if CALL not in module.source.data:
        return
    imported = frozenset(_imported_backends(module))
    for node in _names_of_pallas_call(module, resolver):
        call, argument = _kernel_argument(module, node, resolver)
        if argument is None:
            continue
        function = function_around(call)
        used = frozenset(_named_backends(module, function or call, resolver))
        launcher = launcher_around(module, call)
        for owner, definition in _functions(module, argument, resolver):
            yield PallasCall((owner.path, definition.start_byte), launcher, used, imported)


def kernel_at(module: Module, start: int) -> FoundKernel | None:
    """Return the Pallas kernel whose definition begins at this offset, or None."""
    node = module.source.tree.root_node.descendant_for_byte_range(start, start)
    while node is not None and node.type not in {"decorated_definition", "function_definition"}:
        node = node.parent
    if node is None or node.start_byte != start or node.has_error:
        return None
    return FoundKernel(module, node, "pallas")


def other_backend(
    kernel: FoundKernel, unit: StandaloneUnit, calls: Iterable[PallasCall]
) -> Problem | None:
    """Return the reason why a kernel is not for JAX's Triton backend, or None.

    The unit's imports decide first, then the launchers, then the imports of the launchers' files.
    """
    calls = list(calls)
    in_unit = frozenset(_backends_of(_imports(unit.source)))
    if others := in_unit - {"triton"}:
        return _problem(kernel, sorted(others)[0], "its unit uses")
    for evidence, backends in (
        ("its launcher uses", [call.used for call in calls]),
        ("the file of its launcher imports", [call.imported for call in calls]),
    ):
        every = in_unit.union(*backends)
        if "triton" in every:
            return None
        if every:
            return _problem(kernel, sorted(every)[0], evidence)
    return None


def _problem(kernel: FoundKernel, backend: Backend, evidence: str) -> Problem:
    modules = [name for name, known in BACKENDS.items() if known == backend]
    message = (
        f"{kernel.name} is a Pallas kernel for {NAMES[backend]}, not for JAX's Triton backend: "
        f"{evidence} {modules[0]}."
    )
    return Problem(kernel.module.path, kernel.first_line, f"pallas-{backend}", message)


def _names_of_pallas_call(module: Module, resolver: Resolver) -> Iterator[Node]:
    """Yield the expressions that refer to JAX's `pallas_call`, under any alias."""
    names = {CALL.decode()} | {
        imported.name
        for imported in module.scope.members_imported()
        if imported.attribute == CALL.decode()
    }
    found = captures("[(identifier) (attribute)] @name", module.source.tree.root_node)
    for node in found.get("name", ()):
        parts = dotted(node) if text_of(node).rpartition(".")[2] in names else None
        if parts is None or (node.parent is not None and node.parent.type == "attribute"):
            continue
        if resolver.canonical(module, module.enclosing(node), parts) in CALLS:
            yield node


def _kernel_argument(module: Module, node: Node, resolver: Resolver) -> tuple[Node, Node | None]:
    """Return the call that uses `pallas_call`, and the expression that it passes as the kernel."""
    call = node.parent
    if call is None:
        return node, None
    if call.type == "call":
        return call, _first_argument(call)
    # `partial(pallas_call, …)` may decorate a kernel, or be called with a kernel.
    partial = call.parent
    if (
        partial is None
        or call.type != "argument_list"
        or not _is_partial(module, partial, resolver)
        or _first_argument(partial) != node
    ):
        return node, None
    outer = partial.parent
    if outer is not None and outer.type == "decorator" and outer.parent is not None:
        return outer.parent, outer.parent
    if outer is not None and outer.type == "call":
        return outer, _first_argument(outer)
    return partial, None


def _functions(module: Module, argument: Node, resolver: Resolver) -> Iterator[tuple[Module, Node]]:
    """Yield the definitions that an expression may refer to: by name, `partial(…)` or a branch."""
    pending = [(module, argument)]
    visited: set[tuple[str, int, int]] = set()
    while pending and len(visited) < VALUE_LIMIT:
        module, node = pending.pop()
        place = (module.path, node.start_byte, node.end_byte)
        if place in visited:
            continue
        visited.add(place)
        if definition_of(node).type == "function_definition":
            yield module, node
        elif node.type in {"parenthesized_expression", "conditional_expression"}:
            pending.extend((module, child) for child in node.named_children[::2])
        elif node.type == "call" and _is_partial(module, node, resolver):
            first = _first_argument(node)
            pending.extend([(module, first)] if first is not None else [])
        elif parts := dotted(node):
            pending.extend(_values(module, node, parts, resolver))


def _values(
    module: Module, node: Node, parts: tuple[str, ...], resolver: Resolver
) -> Iterator[tuple[Module, Node]]:
    """Yield the definitions and assigned expressions that a name may refer to, in any file."""
    reference = resolver.reference(module, module.enclosing(node), parts, {})
    if not isinstance(reference.target, Local) or reference.parts != len(parts):
        return
    owner = resolver.repository.module(reference.target.path)
    if owner is None:
        return
    before = node.start_byte if owner.path == module.path else None
    for binding in resolver.bindings(reference.target, {}, before):
        statement = binding.leaf.node
        if definition_of(statement).type == "function_definition":
            yield owner, statement
            continue
        inner = statement.named_children[0] if statement.named_children else None
        value = inner.child_by_field_name("right") if inner is not None else None
        if value is not None:
            yield owner, value


def _is_partial(module: Module, call: Node, resolver: Resolver) -> bool:
    function = call.child_by_field_name("function")
    parts = dotted(function) if function is not None else None
    return parts is not None and (
        resolver.canonical(module, module.enclosing(call), parts) in PARTIALS
    )


def _first_argument(call: Node) -> Node | None:
    """Return the first positional argument, or the argument named `kernel`."""
    arguments = call.child_by_field_name("arguments")
    for child in arguments.named_children if arguments is not None else ():
        if child.type == "keyword_argument":
            name = child.child_by_field_name("name")
            if name is not None and text_of(name) == "kernel":
                return child.child_by_field_name("value")
        elif child.type != "comment":
            return child
    return None


def _named_backends(module: Module, node: Node, resolver: Resolver) -> Iterator[Backend]:
    """Yield the backends whose modules a piece of code uses."""
    scopes = module.enclosing(node)
    for parts in {dotted_name(module.source.data, token)[0] for token in names_of(node).loads}:
        name = resolver.canonical(module, scopes, parts)
        yield from _backends_of([name] if name else [])


def _imported_backends(module: Module) -> Iterator[Backend]:
    for leaf in module.scope.leaves:
        for imported in leaf.imports:
            attribute = f".{imported.attribute}" if imported.attribute else ""
            yield from _backends_of([imported.module + attribute])


def _imports(source: str) -> Iterator[str]:
    """Yield the dotted names that a rendered unit imports."""
    for plain, module, members in IMPORT.findall(source):
        if plain:
            yield plain
        for member in members.split(","):
            yield f"{module}.{member.split(' as ')[0].strip()}"


def _backends_of(names: Iterable[str]) -> Iterator[Backend]:
    for name in names:
        for known, backend in BACKENDS.items():
            if name == known or name.startswith(f"{known}."):
                yield backend
