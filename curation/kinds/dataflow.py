"""Data flow inside one kernel, by names.

Branches are ignored. The order of two statements counts only if they share no loop. The result
contains all real flows of values, and may contain flows that never happen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from curation.kinds.reading import Call, Reading
from curation.similarity.tree import captures, text_of

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
RAGGED = re.compile(r"cu_?seq|seq_?len|seq_?start|chunk_(?:ind|off)", re.IGNORECASE)
"""Names of a sequence's bounds. A load that contains one does not make a gather."""
CHAIN = 10
"""Maximum number of assignments from a pointer parameter to an address. They may be cyclic."""
ASSIGNMENTS = "[(assignment) (augmented_assignment)] @assignment"


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    indirect: tuple[Call, ...]
    """Loads, stores and atomics whose address depends on a loaded value."""
    in_place: frozenset[str]
    """Parameters that are both read and written."""
    sampled: frozenset[str]
    """Parameters read both at a computed address and at a loaded address, as logits at a label."""


def flow(reading: Reading) -> Flow:
    assigned = [pair for function in reading.functions for pair in _assigned(function)]
    accesses = reading.named(*LOADS, *STORES, *ATOMICS)
    loaded = _derivations(assigned, LOADING)
    indirect = [call for call in accesses if _is_indirect(call, names_at(loaded, call.node))]
    read = _bases(reading.named(*LOADS), assigned, reading.parameters)
    written = _bases(reading.named(*STORES), assigned, reading.parameters)
    gathered = [call for call in indirect if call.name in LOADS]
    plain = [call for call in reading.named(*LOADS) if call not in gathered]
    both = _bases(gathered, assigned, reading.parameters)
    sampled = both & _bases(plain, assigned, reading.parameters)
    return Flow(tuple(indirect), frozenset(read & written), frozenset(sampled))


def ranged_names(reading: Reading) -> frozenset[str]:
    """Return the names that hold a block of offsets or a block pointer."""
    return frozenset(name for name, _ in derivations(reading, RANGING))


def derivations(reading: Reading, start: re.Pattern[str]) -> list[tuple[str, Node]]:
    """Return each name with each of its values that depends on a call that matches `start`."""
    assigned = [pair for function in reading.functions for pair in _assigned(function)]
    return _derivations(assigned, start)


def identifiers(node: Node) -> set[str]:
    names = {text_of(n) for n in captures("(identifier) @name", node).get("name", ())}
    members = captures(
        "(attribute attribute: (identifier) @name) (keyword_argument name: (identifier) @name)",
        node,
    )
    own = {text_of(n) for n in members.get("name", ())}
    return names - own


def _assigned(function: Node) -> Iterable[tuple[set[str], Node]]:
    for node in captures(ASSIGNMENTS, function).get("assignment", ()):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and left.type != "subscript":
            yield identifiers(left), right


def _derivations(
    assigned: list[tuple[set[str], Node]], start: re.Pattern[str]
) -> list[tuple[str, Node]]:
    uses = [
        (names, v, identifiers(v), bool(start.search(text_of(v)) and not RAGGED.search(text_of(v))))
        for names, v in assigned
    ]
    known: set[str] = set()
    while True:
        dependent = {
            name for names, _, used, matches in uses if matches or used & known for name in names
        }
        if dependent <= known:
            break
        known |= dependent
    return [
        (name, v) for names, v, used, matches in uses if matches or used & known for name in names
    ]


def names_at(derived: list[tuple[str, Node]], node: Node) -> frozenset[str]:
    """Return the names whose value is set before `node`, or in a loop around it.

    In `bias = tl.load(bias + at)`, the address is not a loaded value. Only later, `bias` is one.
    """
    loop = _outermost_loop(node)
    return frozenset(
        name
        for name, value in derived
        if value.end_byte <= node.start_byte
        or (loop is not None and loop.start_byte <= value.start_byte < loop.end_byte)
    )


def _outermost_loop(node: Node) -> Node | None:
    outermost, around = None, node.parent
    while around is not None and around.type != "function_definition":
        if around.type in {"for_statement", "while_statement"}:
            outermost = around
        around = around.parent
    return outermost


def _is_indirect(call: Call, loaded: frozenset[str]) -> bool:
    if call.name.startswith("."):
        # The method of a descriptor takes offsets. `.load()` without arguments reads shared memory.
        return any(identifiers(argument) & loaded for argument in call.arguments[:1])
    address = call.argument(0, "pointer")
    if address is None:
        return False
    return bool(identifiers(address) & loaded) or bool(LOADING.search(text_of(address)))


def _bases(
    calls: list[Call], assigned: list[tuple[set[str], Node]], parameters: tuple[str, ...]
) -> set[str]:
    """Return the pointer parameters of accesses. The pointer is the first name of an address."""
    pointers = set(parameters)
    first: dict[str, str] = {}
    for names, value in assigned:
        leading = _leading(value)
        for bound in names - pointers if leading else ():
            first.setdefault(bound, leading or "")
    pointers_used: set[str] = set()
    for call in calls:
        address = call.argument(0, "pointer")
        name: str | None = _leading(address) if address is not None else None
        steps = 0
        while name is not None and name not in pointers and steps < CHAIN:
            name, steps = first.get(name), steps + 1
        if name is not None and name in pointers:
            pointers_used.add(name)
    return pointers_used


def _leading(node: Node) -> str | None:
    while node.type != "identifier":
        if node.type not in {"binary_operator", "parenthesized_expression", "subscript"}:
            return None
        if not node.named_children:
            return None
        node = node.named_children[0]
    return text_of(node)
