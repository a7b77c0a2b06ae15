"""Which function a kernel is: two texts of the same one may be near-duplicates, others never.

Shingles alone call `min` a near-duplicate of `max`, since one word in two hundred differs. A copy
of a kernel keeps its name and the functions that it calls, or it keeps every operation.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable

from tree_sitter import Node

from curation.similarity.tree import ParseTimeout, captures, parse, text_of

OPERATIONS = """
(call function: (_) @call)
(binary_operator operator: _ @operator)
(augmented_assignment operator: _ @operator)
(unary_operator operator: _ @operator)
(comparison_operator operators: _ @operator)
(boolean_operator operator: _ @operator)
(not_operator "not" @operator)
"""
DEFINITIONS = "(function_definition name: (identifier) @name)"

_PLUMBING = (
    "load store arange program_id num_programs cdiv static_assert static_print device_assert "
    "multiple_of max_contiguous max_constancy assume static_range range to cast zeros full "
    "zeros_like constexpr broadcast_to expand_dims reshape view make_block_ptr advance int len "
    "jit autotune heuristics Config"
)
PLUMBING = frozenset(_PLUMBING.split())
"""Calls that move data or lay out the work: a copy may change them."""
EMPTY_WORDS = frozenset({"kernel", "kernels", "triton", "jit", ""})


def kernel_functions(text: str) -> tuple[str, str]:
    """Return two hashes: of how often each operation occurs, and of name and called functions.

    Either one alone shows that two near texts are the same function.
    """
    try:
        root = parse(text)
    except ParseTimeout:
        return (_digest("text", [text]), "")
    found = captures(OPERATIONS, root)
    own = {text_of(node) for node in captures(DEFINITIONS, root).get("name", ())}
    calls = Counter(_called(node, own) for node in found.get("call", ()))
    operators = Counter(text_of(node).rstrip("=") or "=" for node in found.get("operator", ()))
    counts = sorted([*calls.items(), *operators.items()])
    computing = sorted(calls.keys() - PLUMBING)
    return (
        _digest("operations", (f"{name} {count}" for name, count in counts)),
        _digest("named", [*_name(root), "calls", *computing]),
    )


def _called(function: Node, own: Collection[str]) -> str:
    """The last part of the name; a function of the text's own may be called anything."""
    name = text_of(function).partition("[")[0].rpartition(".")[2]
    return "" if name in own else name


def _name(root: Node) -> list[str]:
    """The words of the name of the kernel, which stands last in a text with its helpers."""
    names = captures(DEFINITIONS, root).get("name", ())
    last = max(names, key=lambda node: node.start_byte, default=None)
    words = re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", text_of(last)) if last is not None else []
    return [word.lower() for word in words if word.lower() not in EMPTY_WORDS]


def _digest(kind: str, parts: Iterable[str]) -> str:
    data = "\0".join((f"{kind} 1", *parts))
    return hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()
