"""Hash of the function that a kernel computes: near-duplicates must compute the same function.

By shingles alone, `min` is a near-duplicate of `max`, since one word in two hundred differs. The
hash covers the kernel's name and the functions that it calls. An edited copy mostly keeps both. A
kernel with another name counts as a copy only if its syntax is the same.
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
KERNELS = """
((decorated_definition (decorator) @decorator
  definition: (function_definition name: (identifier) @name)) (#match? @decorator "jit"))
"""
DEFINITIONS = "(function_definition name: (identifier) @name)"

_PLUMBING = (
    "load store arange program_id num_programs cdiv static_assert static_print device_assert "
    "multiple_of max_contiguous max_constancy assume static_range range to cast zeros full "
    "zeros_like constexpr broadcast_to expand_dims reshape view make_block_ptr advance int len "
    "jit autotune heuristics Config"
)
PLUMBING = frozenset(_PLUMBING.split())
"""Calls that move data or distribute work. They are left out, because a copy may change them."""
EMPTY_WORDS = frozenset({"kernel", "kernels", "triton", "jit", ""})


def kernel_function(text: str) -> str:
    """Return a hash of the kernel's name and of the functions that it calls.

    If the kernel has the generic name `kernel`, the counts of its operations replace the name.
    """
    try:
        root = parse(text)
    except ParseTimeout:
        return _digest([text])
    captured = captures(OPERATIONS, root)
    own = {text_of(node) for node in captures(DEFINITIONS, root).get("name", ())}
    calls = Counter(_called(node, own) for node in captured.get("call", ()))
    if name := _name(root):
        return _digest([*name, "calls", *sorted(calls.keys() - PLUMBING)])
    operators = Counter(text_of(node).rstrip("=") or "=" for node in captured.get("operator", ()))
    counts = sorted([*calls.items(), *operators.items()])
    return _digest(f"{operation} {count}" for operation, count in counts)


def _called(function: Node, own: Collection[str]) -> str:
    """Return the last part of a called name, or "" if the text defines the called function."""
    name = text_of(function).partition("[")[0].rpartition(".")[2]
    return "" if name in own else name


def _name(root: Node) -> list[str]:
    """Return the words of the name of the kernel, which is the last definition in its text."""
    names = captures(KERNELS, root).get("name") or captures(DEFINITIONS, root).get("name") or []
    last = max(names, key=lambda node: node.start_byte, default=None)
    words = re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", text_of(last)) if last is not None else []
    return [word.lower() for word in words if word.lower() not in EMPTY_WORDS]


def _digest(parts: Iterable[str]) -> str:
    data = "\0".join(("kernel 1", *parts))
    return hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()
