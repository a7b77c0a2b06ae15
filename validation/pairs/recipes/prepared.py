"""Tests that need preparation of inputs: packed weights, page tables, offsets of sequences.

The template `pytest/prepared.py.j2` renders them. Their cases are the sketch's; timed cases have
the sizes of real models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Preparation:
    """Test code that creates the inputs."""

    lines: tuple[str, ...]
    """Lines that compute the arguments from the case's sizes, and return them."""
    timed_for: str
    """Comment that names the models with these sizes."""
    allowed: Mapping[str, object] = field(default_factory=dict)
    """Allowed values by size, as in the test's SIZES."""
    fixed: tuple[str, ...] = ()
    """Sizes that a checker must not vary."""
    levels: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Tolerance by the dtype of an output, for dtypes of few bits."""


EXACT_PRODUCTS = "Exact products of float32 are unrolled by the compiler, so blocks stay small."
"""Comment on configurations where float32 is multiplied without tensor cores."""


def returned(*values: str) -> str:
    """Return a return statement with all values, on several lines if it is too long."""
    line = f"return {', '.join(values)}"
    if len(line) <= 90:
        return line
    return "return (\n" + "".join(f"        {value},\n" for value in values) + "    )"


def product_configs(
    order: str, rows: Iterable[tuple[int, int, int, int, int]]
) -> tuple[tuple[dict[str, int], int, int], ...]:
    """Return configurations of a product from block sizes, warps and stages."""
    group = {"GROUP_M": 8} if order == "grouped" else {}
    return tuple(
        ({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, **group}, warps, stages)
        for m, n, k, warps, stages in rows
    )
