"""Arithmetic on the values of an author's expressions, with bounds on time and memory."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

MOST_ITEMS = 5_000
# Maximum elements of a nested list. A list that occurs twice counts twice.
MOST_LEAVES = 50_000
MOST_BITS = 256

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class NotPlain(Exception):
    """The value of an expression can't be determined."""


def compute(operation: type[ast.operator], left: Any, right: Any) -> Any:
    """Return the result of an operation, or raise NotPlain if it is too large. Otherwise a few
    lines that each double a value could exhaust the memory.
    """
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    if operation is ast.Mult and not numbers:
        copies, part = (left, right) if isinstance(left, int) else (right, left)
        if copies * len(part) > MOST_ITEMS:
            raise NotPlain("It is too long.")
    elif operation is ast.Pow:
        if not numbers or abs(right) >= 64:
            raise NotPlain("It is too large.")
    elif operation is not ast.Add and not numbers:
        # `%` on a string could request a string of any width.
        raise NotPlain("It is computed from no numbers.")
    value = BINARY[operation](left, right)
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise NotPlain("It is too large.")
    if isinstance(value, list | tuple | str) and len(value) > MOST_ITEMS:
        raise NotPlain("It is too long.")
    return value


def count_leaves(value: Any) -> int:
    """Return the number of elements in a nested value."""
    count, pending = 0, [value]
    while pending:
        count += 1
        if count > MOST_LEAVES:
            raise NotPlain("It is too long.")
        part = pending.pop()
        if isinstance(part, list | tuple):
            pending.extend(part)
        elif isinstance(part, dict):
            pending.extend(part.values())
    return count
