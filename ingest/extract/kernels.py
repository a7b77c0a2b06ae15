"""Search for the kernels of one parsed module, by the meaning of their decorators."""

from __future__ import annotations

import hashlib
import re

from tree_sitter import Node

from ingest.extract.module import FoundKernel, Module
from ingest.extract.outline import definition_of
from ingest.extract.records import ExtractedKernel, Kind, Language, Launcher, Parameter
from ingest.extract.resolve import Resolver
from ingest.extract.syntax import captures, dotted, text_of

JIT: dict[str, Language] = {
    "triton.jit": "triton",
    "triton.runtime.jit": "triton",
    "triton.runtime.jit.jit": "triton",
    "torch._inductor.runtime.triton_compat.triton.jit": "triton",
    "triton.experimental.gluon.jit": "gluon",
    "triton.experimental.gluon._runtime.jit": "gluon",
}
NAMING = frozenset({"identifier", "list_splat_pattern", "dictionary_splat_pattern"})
ASSIGNED_JIT = re.compile(rb"=[^\n=]*\bjit\b")
WRAPPED = "(assignment left: (identifier) right: (call) @call)"


def kernels_of(module: Module, resolver: Resolver) -> list[FoundKernel]:
    """Return the kernels of a module, in file order."""
    if module.kernels is None:
        module.kernels = _find(module, resolver)
    return module.kernels


def _find(module: Module, resolver: Resolver) -> list[FoundKernel]:
    kernels: dict[int, FoundKernel] = {}
    for node in module.nesting.decorated:
        if node.has_error:
            continue
        for decorator in decorators_of(node):
            language = jit_language(module, decorator, resolver)
            if language is not None:
                kernels[node.start_byte] = FoundKernel(module, node, language)
                break
    for kernel in _wrapped_by_assignment(module, resolver):
        kernels.setdefault(kernel.start, kernel)
    return [kernels[start] for start in sorted(kernels)]


def decorators_of(node: Node) -> list[Node]:
    """Return the expressions after the `@` signs."""
    return [
        child.named_children[0]
        for child in node.named_children
        if child.type == "decorator" and child.named_children
    ]


def jit_language(module: Module, decorator: Node, resolver: Resolver) -> Language | None:
    """Return the language of `jit`, `jit(…)` or `partial(jit, …)` under any alias, or None."""
    callee = decorator
    if decorator.type == "call":
        function = decorator.child_by_field_name("function")
        if function is None:
            return None
        callee = function
    parts = dotted(callee)
    if parts is None:
        return None
    scopes = module.enclosing(decorator)
    name = resolver.canonical(module, scopes, parts)
    if name == "functools.partial":
        arguments = decorator.child_by_field_name("arguments")
        first = arguments.named_children[0] if arguments and arguments.named_children else None
        # One level of `partial` occurs in practice. A chain must not become a recursion.
        parts = dotted(first) if first is not None else None
        name = resolver.canonical(module, scopes, parts) if parts else None
    if name is None and parts and parts[-1] == "jit" and _is_unbound_triton(module, parts):
        return "triton"
    return JIT.get(name) if name else None


def _is_unbound_triton(module: Module, parts: tuple[str, ...]) -> bool:
    # A star import of an unreadable module may bind `triton`.
    return (
        parts == ("triton", "jit")
        and not module.scope.bindings("triton")
        and (module.fragment or bool(module.scope.stars))
    )


def _wrapped_by_assignment(module: Module, resolver: Resolver) -> list[FoundKernel]:
    kernels: dict[int, FoundKernel] = {}
    if ASSIGNED_JIT.search(module.source.data) is None:
        return []
    for call in captures(WRAPPED, module.source.tree.root_node).get("call", ()):
        if b"jit" not in (call.text or b""):
            continue
        wrapped = _jitted_argument(module, call, resolver)
        if wrapped is None:
            continue
        argument, language = wrapped
        definition = _definition_in_scope(module, argument)
        target = call.parent.child_by_field_name("left") if call.parent else None
        if definition is None or target is None:
            continue
        alias = text_of(target)
        earlier = kernels.get(definition.start_byte)
        aliases = (*earlier.aliases, alias) if earlier else (alias,)
        kernels[definition.start_byte] = FoundKernel(module, definition, language, aliases)
    return list(kernels.values())


def _jitted_argument(
    module: Module, call: Node, resolver: Resolver
) -> tuple[Node, Language] | None:
    """Return the function and its language for `jit(f)`, `jit(…)(f)` or `autotune(…)(jit(f))`."""
    current: Node | None = call
    language: Language | None = None
    while current is not None and current.type == "call":
        function = current.child_by_field_name("function")
        arguments = current.child_by_field_name("arguments")
        if function is None or arguments is None:
            return None
        language = language or jit_language(module, function, resolver)
        current = next((a for a in arguments.named_children if a.type != "comment"), None)
    if current is None or current.type != "identifier" or language is None:
        return None
    return current, language


def _definition_in_scope(module: Module, identifier: Node) -> Node | None:
    name = text_of(identifier)
    for scope in module.enclosing(identifier):
        for binding in reversed(scope.bindings(name)):
            definition = definition_of(binding.leaf.node)
            if definition.type == "function_definition":
                return binding.leaf.node
    return None


def describe(kernel: FoundKernel, kind: Kind, launchers: tuple[Launcher, ...]) -> ExtractedKernel:
    """Return the record of a kernel."""
    source = kernel.module.source.lines(kernel.first_line, kernel.last_line)
    return ExtractedKernel(
        path=kernel.module.path,
        qualname=kernel.qualname,
        name=kernel.name,
        start_line=kernel.first_line,
        end_line=kernel.last_line,
        kind=kind,
        language=kernel.language,
        container=kernel.container,
        source=source,
        sha256=sha256_of(source),
        parameters=_parameters(kernel),
        launchers=launchers,
    )


def sha256_of(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8")).hexdigest()


def _parameters(kernel: FoundKernel) -> tuple[Parameter, ...]:
    parameters = kernel.definition.child_by_field_name("parameters")
    if parameters is None:
        return ()
    results: list[Parameter] = []
    for node in parameters.named_children:
        name = next((part for part in (node, *node.named_children) if part.type in NAMING), None)
        if name is None:
            continue
        annotation = node.child_by_field_name("type")
        default = node.child_by_field_name("value")
        written = text_of(annotation) if annotation is not None else None
        value = text_of(default) if default is not None else None
        results.append(Parameter(text_of(name), written, value, _is_constexpr(written)))
    return tuple(results)


def _is_constexpr(annotation: str | None) -> bool:
    # Triton itself compares the annotation's text, so a quoted annotation counts too.
    text = (annotation or "").strip("'\" ")
    return text.partition("[")[0].rpartition(".")[2] == "constexpr"
