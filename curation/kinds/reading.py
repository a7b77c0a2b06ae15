"""Reader of a kernel's unit: the calls in the kernel and in its helpers, by canonical name."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from curation.similarity.bindings import Bindings, parameters_of, read_bindings
from curation.similarity.tree import ParseTimeout, captures, dotted, is_rubble, parse, text_of

LANGUAGES = (
    ("triton", "language"),
    ("triton", "experimental", "gluon", "language"),
    ("triton", "experimental", "gluon"),
    # Modules of Pallas, and of JAX functions in its kernels. Their names mean the same.
    ("jax", "experimental", "pallas", "triton"),
    ("jax", "experimental", "pallas"),
    ("jax", "numpy"),
    ("jax", "lax"),
    ("jax", "_src", "lax", "lax"),
    ("jax", "nn"),
)
EXTRA = frozenset(
    {"math", "core", "standard", "extra", "cuda", "hip", "libdevice", "random", "intrinsics"}
)
"""Modules under `triton.language`. Only the last part of a function's name identifies it there."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call. `name` is `tl.load` for Triton's functions, `.sum` for methods, or as written."""

    name: str
    node: Node
    line: int
    arguments: tuple[Node, ...]
    keywords: dict[str, Node]
    in_loop: bool

    @property
    def text(self) -> str:
        return " ".join(text_of(self.node).split())[:160]

    def argument(self, place: int, keyword: str) -> Node | None:
        if keyword in self.keywords:
            return self.keywords[keyword]
        return self.arguments[place] if place < len(self.arguments) else None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for a verdict. `says`: the verdict. `line`: counted from 1 in the given text."""

    says: str
    rule: str
    line: int
    text: str


def seen(says: str, rule: str, call: Call) -> Evidence:
    return Evidence(says, rule, call.line, call.text)


@dataclass(slots=True, eq=False)
class Reading:
    """A parsed unit. `functions`: the kernel, and helpers that it uses directly or indirectly."""

    name: str
    text: str
    parsed: bool
    place: str = ""
    """Names of the file and of the launcher."""
    root: Node | None = None
    bindings: Bindings | None = None
    functions: tuple[Node, ...] = ()
    calls: tuple[Call, ...] = ()
    _by_name: dict[str, list[Call]] = field(default_factory=dict)

    def named(self, *names: str) -> list[Call]:
        """Return the calls of these functions, in order."""
        calls = [call for name in names for call in self._by_name.get(name, ())]
        return sorted(calls, key=lambda call: call.node.start_byte)

    @property
    def kernel(self) -> Node | None:
        return self.functions[0] if self.functions else None

    @property
    def parameters(self) -> tuple[str, ...]:
        return parameters_of(self.functions[0]) if self.functions else ()

    def canonical(self, node: Node) -> str | None:
        """Return the canonical name of a dotted expression.

        Examples are `tl.float32` and `triton.jit`. A local name is returned as written.
        """
        parts = dotted(node)
        if parts is None or self.bindings is None:
            return None
        if self.bindings.scope_of(parts[0], node.start_byte) not in {None, self.bindings.module}:
            return ".".join(parts)
        origin = self.bindings.origin(parts[0]) or parts[:1]
        return short((*origin, *parts[1:]))


def read(name: str, text: str, place: str = "") -> Reading:
    """Read one kernel.

    `text` is the standalone unit, or the function alone. `place` names the file and the launcher.
    """
    module = _parsed(text)
    if module is None:
        return Reading(name, text, place=place, parsed=False)
    functions = _functions(module.root)
    first = functions.get(name.rpartition(".")[2]) or next(iter(functions.values()), None)
    return _reading(name, module, functions, first, place)


def read_kernels(text: str) -> list[Reading]:
    """Read each kernel of a module, except kernels that another kernel calls."""
    module = _parsed(text)
    if module is None:
        return []
    functions = _functions(module.root)
    kernels = {name: node for name, node in functions.items() if _is_jit(node)}
    readings = [_reading(name, module, functions, node, "") for name, node in kernels.items()]
    called = {node.start_byte for reading in readings for node in reading.functions[1:]}
    return [
        reading
        for reading in readings
        if reading.kernel is not None and reading.kernel.start_byte not in called
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _ParsedModule:
    text: str
    root: Node
    bindings: Bindings


def _parsed(text: str) -> _ParsedModule | None:
    if text[:1] in {" ", "\t"}:
        text = textwrap.dedent(text)
    text = text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")
    try:
        root = parse(text)
    except ParseTimeout:
        return None
    return None if is_rubble(root) else _ParsedModule(text, root, read_bindings(root))


def _reading(
    name: str, module: _ParsedModule, functions: dict[str, Node], first: Node | None, place: str
) -> Reading:
    reading = Reading(
        name, module.text, not module.root.has_error, place, module.root, module.bindings
    )
    reading.functions = tuple(_reached(functions, first)) if first is not None else ()
    calls = [call for function in reading.functions for call in _calls(reading, function)]
    reading.calls = tuple(calls)
    for call in calls:
        reading._by_name.setdefault(call.name, []).append(call)
    return reading


def short(parts: tuple[str, ...]) -> str:
    for language in LANGUAGES:
        rest = parts[len(language) :]
        if parts[: len(language)] == language and rest:
            return _of_triton(rest)
    if "tl" in parts[1:-1]:
        # A module of the repository exports Triton's language again.
        return _of_triton(parts[parts.index("tl", 1) + 1 :])
    # Shims around libdevice, Inductor's helpers, and local aliases of Triton's functions: `exp`.
    shim = {"libdevice", "triton_helpers", "tl_extra_shim", "tl_math", "tldevice"} & {*parts[:-1]}
    if shim or (parts[-1] in BARE and len(parts) <= 2):
        return _of_triton(parts[-1:])
    return ".".join(parts)


def _of_triton(rest: tuple[str, ...]) -> str:
    if rest[-1] in SAME_AS:
        return "tl." + SAME_AS[rest[-1]]
    while len(rest) > 1 and rest[0] in EXTRA:
        rest = rest[1:]
    return "tl." + ".".join(rest)


BARE = frozenset(
    {"exp", "exp2", "log", "log2", "rsqrt", "sqrt", "sigmoid", "tanh", "erf", "rand", "randn"}
    | {"program_id", "num_programs"}
)
DOTS = frozenset(
    {"dot_scaled", "dot_fma", "wmma", "wmma_scaled", "mfma", "mfma_scaled", "mma_v2"}
    | {"tcgen05_mma", "tcgen05_mma_scaled", "warpgroup_mma"}
)
LOADS = frozenset(
    {"buffer_load", "async_load", "load_tensor_descriptor", "_experimental_descriptor_load"}
    | {"async_copy_global_to_shared", "async_copy_global_to_local", "global_load_to_shared"}
)
STORES = frozenset(
    {"buffer_store", "async_store", "store_tensor_descriptor", "_experimental_descriptor_store"}
    | {"async_copy_shared_to_global"}
)
SAME_AS = {
    **dict.fromkeys(DOTS, "dot"),
    **dict.fromkeys(LOADS, "load"),
    **dict.fromkeys(STORES, "store"),
    **dict.fromkeys(("dot_general", "matmul", "einsum", "vdot", "tensordot"), "dot"),
    "fast_expf": "exp",
    "fast_dividef": "fdiv",
    "max2": "max",
    "min2": "min",
    "welford_reduce": "welford",
}
"""Other names of the same functions, in Gluon, older Triton releases and Inductor's helpers."""


def _functions(root: Node) -> dict[str, Node]:
    found = captures("(function_definition name: (identifier) @name) @function", root)
    functions: dict[str, Node] = {}
    for node in sorted(found.get("function", ()), key=lambda node: node.start_byte):
        functions[name_of(node)] = node
    return functions


def name_of(function: Node) -> str:
    return text_of(function.child_by_field_name("name") or function)


def _is_jit(function: Node) -> bool:
    around = function.parent
    if around is None or around.type != "decorated_definition":
        return False
    return any(
        child.type == "decorator" and JIT.search(text_of(child)) for child in around.children
    )


JIT = re.compile(r"\bjit\b")


def _reached(functions: dict[str, Node], first: Node) -> Iterator[Node]:
    """Yield the kernel and the functions that it names, directly or indirectly."""
    pending, seen = [first], {first.start_byte}
    while pending:
        function = pending.pop(0)
        yield function
        # A function that is passed to `tl.reduce` counts like a called function.
        for node in captures("(identifier) @name", function).get("name", ()):
            helper = functions.get(text_of(node))
            if helper is not None and helper.start_byte not in seen:
                seen.add(helper.start_byte)
                pending.append(helper)


def _calls(reading: Reading, function: Node) -> Iterator[Call]:
    body = function.child_by_field_name("body")
    if body is None:
        return
    spans = loops(body)
    nodes = captures(CALLS, body).get("call", ())
    for node in sorted(nodes, key=lambda node: node.start_byte):
        in_loop = any(start <= node.start_byte < end for start, end in spans)
        if node.type == "binary_operator":
            # Pallas kernels write a product of blocks in this form.
            yield Call("tl.dot", node, node.start_point.row + 1, (), {}, in_loop)
            continue
        called = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if called is None or arguments is None:
            continue
        yield Call(
            _name_of(reading, called),
            node,
            node.start_point.row + 1,
            tuple(a for a in arguments.named_children if a.type not in NOT_PLACED),
            dict(_keywords(arguments)),
            in_loop,
        )


def loops(function: Node) -> list[tuple[int, int]]:
    """Return the byte ranges of all loops."""
    nodes = captures("[(for_statement) (while_statement)] @loop", function).get("loop", ())
    return [(node.start_byte, node.end_byte) for node in nodes]


CALLS = '[(call) (binary_operator operator: "@")] @call'
NOT_PLACED = frozenset({"keyword_argument", "comment"})


def _name_of(reading: Reading, called: Node) -> str:
    if called.type == "attribute":
        parts = dotted(called)
        name = reading.canonical(called)
        if parts is None or name is None or reading.bindings is None:
            member = called.child_by_field_name("attribute")
            return f".{text_of(member)}" if member is not None else ""
        scope = reading.bindings.scope_of(parts[0], called.start_byte)
        local = scope is not None and scope is not reading.bindings.module
        return f".{parts[-1]}" if local else name
    return reading.canonical(called) or ""


def _keywords(arguments: Node) -> Iterator[tuple[str, Node]]:
    for child in arguments.named_children:
        name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
        if child.type == "keyword_argument" and name is not None and value is not None:
            yield text_of(name), value
