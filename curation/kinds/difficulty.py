"""Difficulty of kernels and pairs, by algorithmic features.

A kernel is as hard as its hardest feature below. Three different medium features make it hard.
Without any feature, it is easy. Length does not count: an element-wise kernel with a long
polynomial is easy, a short split-K product is hard. A pair is as hard as its hardest kernel. If it
defines a backward pass, it is at least medium.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from curation.kinds.calls import EXPONENTIALS, REDUCTIONS, SCANS, SORTS
from curation.kinds.dataflow import ATOMICS, STORES, Flow, derivations, flow, identifiers, names_at
from curation.kinds.reading import Evidence, Reading, loops, read_kernels
from curation.kinds.signs import (
    ADDRESS,
    ASYNCHRONOUS,
    DOT,
    MAXIMUM,
    MOVES,
    NETWORK,
    SPLIT,
    is_gradient,
    rotation,
    store_nodes,
    strided_loops,
)
from curation.similarity.tree import captures, text_of

Difficulty = Literal["easy", "medium", "hard"]
LEVELS: tuple[Difficulty, ...] = ("easy", "medium", "hard")
TOGETHER = 3
"""Number of different medium features that make a kernel hard."""


def difficulty(reading: Reading, flows: Flow, operation: str) -> tuple[Difficulty, Evidence]:
    """Return the level of one kernel, with the decisive features."""
    kernel = _Kernel(reading, flows, operation)
    seen = [(level, name, node) for level, name, rule in FEATURES for node in rule(kernel)[:1]]
    hard = [one for one in seen if one[0] == "hard"]
    level: Difficulty = "hard" if hard or len(seen) >= TOGETHER else "medium" if seen else "easy"
    counted = hard or seen
    if not counted:
        line = reading.kernel.start_point.row + 1 if reading.kernel is not None else 1
        return level, Evidence(level, "one pass over independent blocks", line, reading.name)
    node = counted[0][2]
    text = " ".join(text_of(node).split())[:160]
    names = ", ".join(name for _, name, _ in counted)
    return level, Evidence(level, names, node.start_point.row + 1, text)


def pair_difficulty(triton_code: str, operation: str, differentiable: bool = False) -> Difficulty:
    """Return the level of a pair's hardest kernel, or at least medium if it is `differentiable`."""
    levels = {
        difficulty(reading, flow(reading), operation)[0] for reading in read_kernels(triton_code)
    }
    hardest: Difficulty = next((level for level in reversed(LEVELS) if level in levels), "easy")
    return "medium" if differentiable and hardest == "easy" else hardest


@dataclass(slots=True, eq=False)
class _Kernel:
    reading: Reading
    flow: Flow
    operation: str

    @property
    def dots(self) -> list[Node]:
        return self.nodes("tl.dot")

    @property
    def is_gradient(self) -> bool:
        return is_gradient(self.reading)

    @property
    def stores(self) -> list[Node]:
        return store_nodes(self.reading)

    @property
    def indirect(self) -> list[Node]:
        return [call.node for call in self.flow.indirect]

    def nodes(self, *names: str) -> list[Node]:
        """Return the calls of these functions, in order."""
        return [call.node for call in self.reading.named(*names)]

    def inside(self, pattern: str) -> list[Node]:
        """Return the nodes that a query finds in the kernel and its helpers."""
        functions = self.reading.functions
        return [node for each in functions for node in captures(pattern, each).get("node", ())]

    def in_loops(self, pattern: str) -> Iterator[Node]:
        for function in self.reading.functions:
            spans = loops(function)
            for node in captures(pattern, function).get("node", ()):
                if any(start <= node.start_byte < end for start, end in spans):
                    yield node


def _online_softmax(kernel: _Kernel) -> list[Node]:
    """Find the rescaling of an online softmax: exponentials of the old minus the new maximum."""
    maxima: set[str] = set()
    assigned = []
    for node in kernel.in_loops("(assignment) @node"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            continue
        assigned.append((identifiers(left), right))
        if MAXIMUM.search(text_of(right)):
            maxima |= identifiers(left)
    for names, right in assigned:
        if right.type == "identifier" and text_of(right) in maxima:
            maxima |= names
    rescales = [
        call.node
        for call in kernel.reading.named(*EXPONENTIALS)
        if call.in_loop and call.arguments and len(identifiers(call.arguments[0]) & maxima) >= 2
    ]
    return rescales or [c.node for c in kernel.reading.calls if "online_softmax" in c.name]


def _split_product(kernel: _Kernel) -> list[Node]:
    reading = kernel.reading
    # An unused parameter does not count. It may be left over from another version of the kernel.
    bodies = [function.child_by_field_name("body") for function in reading.functions]
    used = set().union(*(identifiers(body) for body in bodies if body is not None))
    names = (reading.name, *used.intersection(reading.parameters))
    split = any(map(SPLIT.search, names)) or reading.named(*ATOMICS)
    return kernel.dots if split else []


def _dependent_products(kernel: _Kernel) -> list[Node]:
    if not kernel.dots:
        return []
    derived = derivations(kernel.reading, DOT)
    return [
        call.node
        for call in kernel.reading.named("tl.dot")
        for factor in call.arguments[:2]
        if DOT.search(text_of(factor)) or identifiers(factor) & names_at(derived, call.node)
    ]


def _product_of_packed(kernel: _Kernel) -> list[Node]:
    if not kernel.dots:
        return []
    scaled = [node for node in kernel.dots if "_scaled" in text_of(node)]
    shifts = [
        node
        for node in kernel.inside("(binary_operator) @node")
        if any(child.type in {">>", "<<"} for child in node.children)
    ]
    return scaled or shifts


def _specialized(kernel: _Kernel) -> list[Node]:
    return [
        call.node
        for call in kernel.reading.calls
        if ASYNCHRONOUS.search(call.name) or "warp_specialize" in call.keywords
    ]


def _carried_scan(kernel: _Kernel) -> list[Node]:
    return [call.node for call in kernel.reading.named(*SCANS) if call.in_loop]


def _ordered_atomics(kernel: _Kernel) -> list[Node]:
    """Find locks and flags: compare-and-swap, exchange, or an atomic in a `while` loop."""
    locks = kernel.nodes("tl.atomic_cas", "tl.atomic_xchg")
    whiles = kernel.inside("(while_statement) @node")
    waits = [node for node in whiles if "atomic_" in text_of(node)]
    return locks or waits


def _hard_backward(kernel: _Kernel) -> list[Node]:
    """Find backward kernels with several reductions. An RMS norm's row gradient has only one."""
    if kernel.operation not in {"attention", "normalization"} or not kernel.is_gradient:
        return []
    several = len(kernel.reading.named(*REDUCTIONS)) > 1 or _accumulation(kernel) or kernel.dots
    return kernel.stores if several else []


def _sort_network(kernel: _Kernel) -> list[Node]:
    return [
        node
        for node in kernel.reading.functions
        if NETWORK.search(text_of(node.child_by_field_name("name") or node))
    ]


def _accumulation(kernel: _Kernel) -> list[Node]:
    """Find values that are set before a loop and updated in it, except addresses and counters.

    A Pallas kernel loops by calling a function that carries the value.
    """
    if kernel.dots:
        return []
    addresses = {
        name
        for call in kernel.reading.named("tl.load", *STORES, *ATOMICS)
        for argument in (call.argument(0, "pointer"),)
        if argument is not None
        for name in identifiers(argument)
    }
    return [
        node
        for function in kernel.reading.functions
        for name, node in carried(function)
        if name not in addresses and not ADDRESS.search(name)
    ] + kernel.nodes("tl.fori_loop", "tl.while_loop")


def carried(function: Node) -> Iterator[tuple[str, Node]]:
    """Yield names that are set before a loop and updated in it, with the statement that updates."""
    spans = loops(function)
    first: dict[str, int] = {}
    assignments = captures("[(assignment) (augmented_assignment)] @node", function).get("node", ())
    for node in sorted(assignments, key=lambda node: node.start_byte):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or left.type == "subscript":
            continue
        used = identifiers(right)
        for name in identifiers(left):
            start = first.setdefault(name, node.start_byte)
            again = node.type == "augmented_assignment" or name in used
            inside = any(start < begin <= node.start_byte < end for begin, end in spans)
            if again and inside and used:
                yield name, node


def _backward(kernel: _Kernel) -> list[Node]:
    reduces = kernel.reading.named(*REDUCTIONS)
    plain = kernel.operation in {"element-wise", "gather-scatter", "random", "other", "optimizer"}
    return kernel.stores if kernel.is_gradient and (reduces or not plain) else []


def _rearrangement(kernel: _Kernel) -> list[Node]:
    if kernel.dots:
        return []
    moved = [c.node for c in kernel.reading.calls if MOVES.search(c.name)]
    return moved or (rotation(kernel.reading) if kernel.operation == "other" else [])


def _descriptors(kernel: _Kernel) -> list[Node]:
    created = kernel.reading.named("tl.make_tensor_descriptor", *STORES)
    loaded = kernel.reading.named(".load")
    return [
        call.node
        for call in (*created, *loaded)
        if "descriptor" in call.text
        or (call.name[0] == "." and call.arguments and call.arguments[0].type in {"list", "tuple"})
    ]


Rule = Callable[[_Kernel], list[Node]]
FEATURES: tuple[tuple[Difficulty, str, Rule], ...] = (
    ("hard", "an online softmax", _online_softmax),
    ("hard", "a product that several programs add up", _split_product),
    ("hard", "a product of a product", _dependent_products),
    (
        "hard",
        "a product with a reduction beside it",
        lambda k: k.nodes(*REDUCTIONS) if k.dots else [],
    ),
    ("hard", "a product of packed or scaled operands", _product_of_packed),
    ("hard", "a product at loaded addresses", lambda k: k.indirect if k.dots else []),
    ("hard", "three or more products", lambda k: k.dots[2:]),
    ("hard", "a persistent product", lambda k: strided_loops(k.reading) if k.dots else []),
    ("hard", "a product of tensor descriptors", lambda k: _descriptors(k) if k.dots else []),
    ("hard", "asynchronous copies or specialized warps", _specialized),
    ("hard", "a scan carried from block to block", _carried_scan),
    ("hard", "locks or ordered atomics", _ordered_atomics),
    ("hard", "the backward of a normalization or an attention", _hard_backward),
    ("hard", "a sort network written out", _sort_network),
    ("medium", "a product of blocks", lambda k: k.dots),
    ("medium", "a loop that accumulates", _accumulation),
    ("medium", "loaded addresses", lambda k: k.indirect),
    ("medium", "atomics", lambda k: k.nodes(*ATOMICS, "tl.histogram")),
    ("medium", "a scan", lambda k: k.nodes(*SCANS)),
    ("medium", "a sort", lambda k: k.nodes(*SORTS)),
    ("medium", "a backward with reductions", _backward),
    ("medium", "values rearranged within a block", _rearrangement),
    ("medium", "tensor descriptors", _descriptors),
    ("medium", "inline assembly", lambda k: k.nodes("tl.inline_asm_elementwise")),
    ("medium", "programs that stride over the work", lambda k: strided_loops(k.reading)),
)
