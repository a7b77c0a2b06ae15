"""Uses of each kernel in the complete repository: host launches and calls from other kernels.

The uses show whether a kernel is an entry or a helper, and which host functions launch it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from ingest.extract.imports import may_remain
from ingest.extract.kernels import kernels_of
from ingest.extract.module import FoundKernel, Module, code_end
from ingest.extract.outline import definition_of
from ingest.extract.records import Kind, Launcher
from ingest.extract.resolve import Resolver
from ingest.extract.syntax import dotted, statements, text_of
from ingest.extract.targets import Local

WORD = re.compile(rb"[^\W\d]\w*")
MEMBER = re.compile(rb"\.\s*([^\W\d]\w*)")
IMPORT = re.compile(rb"\n[ \t]*(?:from\b[^\n]*?\bimport\b(?:[ \t]*\([^)]*|[^\n]*)|import\b[^\n]*)")
"""The pattern begins with a literal character, so that the search is several times faster."""
LAUNCHING_METHODS = frozenset({"run", "warmup", "__getitem__"})
LAUNCH_ADAPTERS = frozenset({"wrap_triton", "capture_triton"})

KernelId = tuple[str, int]
"""Path and first byte. A qualified name is not unique: both branches of an `if` may define it."""


@dataclass(slots=True)
class Usage:
    launched: bool = False
    called: bool = False
    launchers: dict[tuple[str, int], Launcher] = field(default_factory=dict)


class References:
    """Collector of uses, file by file.

    All kernels must be added before the first read.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._by_place: defaultdict[Local, list[KernelId]] = defaultdict(list)
        self._methods: defaultdict[str, list[KernelId]] = defaultdict(list)
        self._names: set[bytes] = set()
        self._importable: set[bytes] = set()
        self._stems: set[bytes] = set()
        self._usage: defaultdict[KernelId, Usage] = defaultdict(Usage)

    def add_kernel(self, kernel: FoundKernel) -> None:
        identity = (kernel.module.path, kernel.start)
        if kernel.container == "class":
            self._methods[kernel.name].append(identity)
        scope = kernel.module.enclosing(kernel.node)[0]
        for name in (kernel.name, *kernel.aliases):
            self._names.add(name.encode("utf-8"))
            if scope.start < 0 and kernel.container != "class":
                self._importable.add(name.encode("utf-8"))
                self._stems.add(_stem(kernel.module.path).encode("utf-8"))
            if kernel.container != "class":
                self._by_place[Local(kernel.module.path, scope.start, name)].append(identity)

    def may_use_kernels(self, data: bytes) -> bool:
        """Return whether a file without kernels imports a kernel, or a module that has kernels."""
        if not self._importable:
            return False
        imported = set(WORD.findall(b"".join(IMPORT.findall(b"\n" + data))))
        if not self._importable.isdisjoint(imported):
            return True
        if self._stems.isdisjoint(imported):
            return False
        return not self._importable.isdisjoint(MEMBER.findall(data))

    def read(self, module: Module) -> None:
        """Collect every use of a kernel in this module."""
        if not self._names:
            return
        names = self._names | self._aliases_in(module)
        kernel_spans = _Intervals((k.start, k.end) for k in kernels_of(module, self._resolver))
        meanings: dict[tuple[int, tuple[str, ...]], list[KernelId]] = {}
        for node in _identifiers(module, names):
            expression, parts = _whole_name(node)
            if parts is None or _is_binding(expression):
                continue
            scopes = module.enclosing(node)
            key = (scopes[0].start, parts)
            if key not in meanings:
                meanings[key] = self._meant(module, node, parts)
            for kernel in meanings[key]:
                self._use(module, kernel, expression, kernel_spans.contains(node.start_byte))

    def kind(self, kernel: FoundKernel) -> Kind:
        usage = self._usage[kernel.module.path, kernel.start]
        if usage.launched:
            return "entry"
        if usage.called:
            return "helper"
        return "entry" if _returns_nothing(kernel) else "helper"

    def launchers(self, kernel: FoundKernel) -> tuple[Launcher, ...]:
        launchers = self._usage[kernel.module.path, kernel.start].launchers
        return tuple(launchers[place] for place in sorted(launchers))

    def _aliases_in(self, module: Module) -> set[bytes]:
        """Return the aliases under which this module imports kernels."""
        return {
            imported.name.encode("utf-8")
            for imported in module.scope.members_imported()
            if imported.name.encode("utf-8") not in self._names
            and (imported.level or not may_remain(imported.module))
            and self._means_kernel(module, imported.name)
        }

    def _means_kernel(self, module: Module, name: str) -> bool:
        target = self._resolver.reference(module, (module.scope,), (name,), {}).target
        return isinstance(target, Local) and target in self._by_place

    def _meant(self, module: Module, node: Node, parts: tuple[str, ...]) -> list[KernelId]:
        reference = self._resolver.reference(module, module.enclosing(node), parts, {})
        if isinstance(reference.target, Local) and reference.parts == len(parts):
            return self._by_place.get(reference.target, [])
        if len(parts) == 1:
            return []
        methods = self._methods.get(parts[-1], [])
        local_methods = [method for method in methods if method[0] == module.path]
        return local_methods or (methods if len(methods) == 1 else [])

    def _use(self, module: Module, kernel: KernelId, expression: Node, in_kernel: bool) -> None:
        usage = self._usage[kernel]
        if kernel[0] == module.path and _is_own_header(expression, kernel[1]):
            return
        if in_kernel:
            usage.called = True
            return
        use = _host_use(expression)
        if use == "launch":
            usage.launched = True
        elif use == "call":
            usage.called = True
        if use == "launch" or use == "mention":
            launcher = launcher_around(module, expression)
            if launcher is not None:
                usage.launchers.setdefault((module.path, launcher.start_line), launcher)


def _identifiers(module: Module, names: set[bytes]) -> Iterator[Node]:
    """Yield the identifiers with one of these names. They are found as text, then checked."""
    data, root = module.source.data, module.source.tree.root_node
    at = 0
    for line in data.split(b"\n"):
        # Most lines have none of the words. So a complete line is tested before the words in it.
        if not names.isdisjoint(WORD.findall(line)):
            for match in WORD.finditer(data, at, at + len(line)):
                if match[0] not in names:
                    continue
                node = root.descendant_for_byte_range(*match.span())
                if node and node.type == "identifier" and node.end_byte == match.end():
                    yield node
        at += len(line) + 1


class _Intervals:
    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)

    def contains(self, offset: int) -> bool:
        index = bisect_right(self._spans, offset, key=lambda span: span[0]) - 1
        # Kernels nest at most one or two levels, so it suffices to check the three spans before.
        return any(offset < end for _, end in self._spans[max(0, index - 3) : index + 1])


def _whole_name(node: Node) -> tuple[Node, tuple[str, ...] | None]:
    """Return the dotted expression that an identifier ends (`a.b.kernel`), and its parts."""
    parent = node.parent
    if parent is None or parent.type != "attribute":
        return node, (text_of(node),)
    if parent.child_by_field_name("attribute") != node:
        return node, (text_of(node),)
    return parent, dotted(parent) or ("?", text_of(node))


def _is_binding(expression: Node) -> bool:
    parent = expression.parent
    if parent is None:
        return True
    if parent.type in {"dotted_name", "aliased_import", "parameters", "keyword_argument"}:
        return parent.type != "keyword_argument" or (
            parent.child_by_field_name("name") == expression
        )
    if parent.type in {"function_definition", "class_definition"}:
        return parent.child_by_field_name("name") == expression
    return parent.type == "assignment" and parent.child_by_field_name("left") == expression


def _is_own_header(expression: Node, kernel_start: int) -> bool:
    node: Node | None = expression
    while node is not None and node.type not in {"block", "module"}:
        if node.start_byte == kernel_start and definition_of(node).type == "function_definition":
            return True
        node = node.parent
    return False


def _host_use(expression: Node) -> str:
    """Return how host code uses a kernel in this expression: `launch`, `call` or `mention`."""
    node = expression
    parent = node.parent
    while parent is not None:
        if parent.type == "subscript" and parent.child_by_field_name("value") == node:
            return "launch"
        if parent.type == "attribute":
            member = parent.child_by_field_name("attribute")
            launches = member is not None and text_of(member) in LAUNCHING_METHODS
            return "launch" if launches else "mention"
        if parent.type == "call":
            return "call"
        if parent.type == "keyword_argument":
            parent = parent.parent
        if parent is not None and parent.type == "argument_list" and parent.parent is not None:
            return _use_as_argument(parent.parent)
        if parent is None or parent.type not in {"parenthesized_expression"}:
            return "mention"
        node, parent = parent, parent.parent
    return "mention"


def _use_as_argument(call: Node) -> str:
    function = call.child_by_field_name("function")
    if function is None:
        return "mention"
    if function.type == "subscript":
        # An argument of another kernel's launch counts as a call, because that kernel will call it.
        return "call"
    name = text_of(function).rpartition(".")[2]
    return "launch" if name in LAUNCH_ADAPTERS else "mention"


def launcher_around(module: Module, expression: Node) -> Launcher | None:
    node = function_around(expression)
    if node is None:
        return None
    owner = node.parent
    while owner is not None and owner.type not in {"class_definition", "function_definition"}:
        owner = owner.parent
    if owner is not None and owner.type == "class_definition":
        bases = owner.child_by_field_name("superclasses")
        if bases is not None and re.search(rb"\bFunction\b", bases.text or b""):
            node = owner
    outer = node.parent if node.parent and node.parent.type == "decorated_definition" else node
    source = module.source
    first, last = source.line_of(outer.start_byte), source.line_of(code_end(node) - 1)
    return Launcher(
        module.path, module.nesting.qualname(node), first, last, source.lines(first, last)
    )


def _returns_nothing(kernel: FoundKernel) -> bool:
    """Return whether the kernel returns no value, as an entry must."""
    function = kernel.definition
    if b"return" not in kernel.module.source.data[function.start_byte : function.end_byte]:
        return True
    return not any(
        node.type == "return_statement"
        and node.named_child_count
        and function_around(node) == function
        for node in statements(function)
    )


def function_around(node: Node) -> Node | None:
    parent = node.parent
    while parent is not None and parent.type != "function_definition":
        parent = parent.parent
    return parent


def _stem(path: str) -> str:
    return path.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2]
