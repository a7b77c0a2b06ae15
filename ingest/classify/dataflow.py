"""Where values go inside one kernel, by names alone: no order, no branches, so a superset."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from ingest.classify.reading import Call, Reading
from ingest.extract.syntax import captures, text_of

LOADS = ("tl.load", ".load", ".gather")
STORES = ("tl.store", ".store", ".scatter")
ATOMICS = (
    "tl.atomic_add",
    "tl.atomic_max",
    "tl.atomic_min",
    "tl.atomic_cas",
    "tl.atomic_xchg",
    "tl.atomic_and",
    "tl.atomic_or",
    "tl.atomic_xor",
)
LOADING = re.compile(r"\b(?:load|load_tensor_descriptor|_experimental_descriptor_load)\(")
RANGING = re.compile(r"\b(?:arange|make_block_ptr)\(")
CHAIN = 10
"""How many assignments an address is followed back through; names may go in circles."""
ASSIGNMENTS = "[(assignment) (augmented_assignment)] @assignment"


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    indirect: tuple[Call, ...]
    """Loads, stores and atomics whose address depends on a value that was loaded."""
    in_place: frozenset[str]
    """Parameters that are both read and written through."""


def flow(reading: Reading) -> Flow:
    assigned = [pair for function in reading.functions for pair in _assigned(function)]
    accesses = reading.named(*LOADS, *STORES, *ATOMICS)
    loaded = _derived(assigned, LOADING)
    indirect = [call for call in accesses if _is_indirect(call, loaded)]
    read = _bases(reading.named(*LOADS), assigned, reading.parameters)
    written = _bases(reading.named(*STORES), assigned, reading.parameters)
    return Flow(tuple(indirect), frozenset(read & written))


def ranged_names(reading: Reading) -> frozenset[str]:
    """Names that hold a block: offsets, and block pointers."""
    return _derived([p for function in reading.functions for p in _assigned(function)], RANGING)


def identifiers(node: Node) -> set[str]:
    found = {text_of(n) for n in captures("(identifier) @name", node).get("name", ())}
    members = captures(
        "(attribute attribute: (identifier) @name) (keyword_argument name: (identifier) @name)",
        node,
    )
    own = {text_of(n) for n in members.get("name", ())}
    return found - own


def _assigned(function: Node) -> Iterable[tuple[set[str], Node]]:
    for node in captures(ASSIGNMENTS, function).get("assignment", ()):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and left.type != "subscript":
            yield identifiers(left), right


def _derived(assigned: list[tuple[set[str], Node]], start: re.Pattern[str]) -> frozenset[str]:
    """Names whose value depends on a call that `start` finds."""
    uses = [(names, identifiers(v), bool(start.search(text_of(v)))) for names, v in assigned]
    known: set[str] = set()
    while True:
        found = {name for names, used, here in uses if here or used & known for name in names}
        if found <= known:
            return frozenset(known)
        known |= found


def _is_indirect(call: Call, loaded: frozenset[str]) -> bool:
    if call.name.startswith("."):
        # A descriptor's own offsets; a bare `.load()` is one of shared memory.
        return any(identifiers(argument) & loaded for argument in call.arguments[:1])
    address = call.argument(0, "pointer")
    if address is None:
        return False
    return bool(identifiers(address) & loaded) or bool(LOADING.search(text_of(address)))


def _bases(
    calls: list[Call], assigned: list[tuple[set[str], Node]], parameters: tuple[str, ...]
) -> set[str]:
    """The pointer parameters that an access goes through: the first name of its address."""
    pointers = set(parameters)
    first: dict[str, str] = {}
    for names, value in assigned:
        leading = _leading(value)
        for bound in names - pointers if leading else ():
            first.setdefault(bound, leading or "")
    found: set[str] = set()
    for call in calls:
        address = call.argument(0, "pointer")
        name: str | None = _leading(address) if address is not None else None
        steps = 0
        while name is not None and name not in pointers and steps < CHAIN:
            name, steps = first.get(name), steps + 1
        if name is not None and name in pointers:
            found.add(name)
    return found


def _leading(node: Node) -> str | None:
    while node.type != "identifier":
        if node.type not in {"binary_operator", "parenthesized_expression", "subscript"}:
            return None
        if not node.named_children:
            return None
        node = node.named_children[0]
    return text_of(node)
