"""Choice of a few rows of a test that together show the operation's dtypes, options and sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from typing import Any

Row = dict[str, Any]

MOST_CASES = 4
# Maximum product of a row's sizes, because Triton's interpreter is slow. LIGHT: if it is added only
# for its sizes or axes. HEAVY: if no other row has other sizes.
LIGHT, HEAVY = 2**18, 2**22
SMALLEST_SIZE = 8
DEGENERATE = "degenerate"
SHAPES = re.compile(r"shape|size", re.I)


def choose_rows(rows: Sequence[Row]) -> list[Row]:
    """Choose the smallest row. Then repeatedly add the row with the most values that are new. Next
    come rows with new sizes up to `LIGHT`, then smaller ones. Rows with a size of one come after
    rows without, because one layer, row or token tests little of a kernel.
    """
    sized = {name for row in rows for name in row if name in _sizes(row)}
    rest = sorted(rows, key=lambda row: (is_degenerate(row), _ones(row, sized), _work(row)))
    most = max(LIGHT, 4 * _work(rest[0]))
    chosen: list[Row] = []
    shown: set[tuple[str, str]] = set()
    sizes: list[Row] = []
    while rest and len(chosen) < MOST_CASES:
        if len(chosen) == MOST_CASES - 1 and all(each == sizes[0] for each in sizes if each):
            most = max(most, HEAVY)
        row = max(rest, key=lambda row: _gain(row, shown, sizes, most)) if chosen else rest[0]
        chosen.append(row)
        features = _features(row, most)
        # A dtype or option in a scalar row counts as shown only when a larger tensor has it too.
        small = {each for each in features if each[1] == DEGENERATE}
        shown |= small or features
        sizes.append(_sizes(row))
        rest = [each for each in rest if each != row]
    return chosen


def _gain(
    row: Row, shown: set[tuple[str, str]], sizes: Sequence[Row], most: int
) -> tuple[bool, int, bool]:
    """Return the sort key of a row by what it adds to the chosen rows, most important first."""
    fresh = len(_features(row, most) - shown)
    light = _work(row) <= most
    useful = not is_degenerate(row) and light
    return (light or bool(fresh), fresh, useful and _sizes(row) not in sizes)


def _features(row: Row, most: int) -> set[tuple[str, str]]:
    """Return those ways to call the operation that a row shows."""
    features = {
        (name, repr(value))
        for name, value in row.items()
        if not is_size(value) and not (SHAPES.search(name) and _shapes(value))
    }
    if _work(row) > most:
        return features
    sizes = {name: value for name, value in row.items() if is_size(value)}
    if is_degenerate(row):
        # Scalars and single elements are one feature, and shapes without elements none.
        shaped = [name for name, value in row.items() if SHAPES.search(name) and _shapes(value)]
        filled = [name for name in shaped if all(0 not in s for s in _shapes(row[name]))]
        return features | {(name, DEGENERATE) for name in filled}
    features |= {
        (name, f"{len(shape)} axes")
        for name, value in sizes.items()
        if SHAPES.search(name)
        for shape in _shapes(value)
    }
    # With an odd size, the last block is not full, so the kernel's masks are tested.
    odd = [name for name, value in sizes.items() if any(map(is_odd, integers(value)))]
    return features | {(name, "odd") for name in odd}


def _shapes(value: Any) -> list[Sequence[Any]]:
    """Return the value as a list of one shape, or the shapes in a list of shapes."""
    if not isinstance(value, list | tuple):
        return []
    inner: list[Sequence[Any]] = [part for part in value if isinstance(part, list | tuple)]
    return inner or [value]


def is_degenerate(row: Row) -> bool:
    """Return whether a row has a shape with at most one element or a last axis of size one, or only
    sizes of one. Most faults of a kernel do not show in a single element.
    """
    # Other lists contain axes, as in `dim=[0, 1]`.
    shaped = [value for name, value in row.items() if SHAPES.search(name) or is_size(value)]
    shapes = [shape for value in shaped for shape in _shapes(value)]
    if any(0 in shape or not shape or shape[-1] == 1 for shape in shapes):
        return True
    sizes = [n for value in row.values() if is_size(value) for n in integers(value)]
    return bool(sizes) and all(n == 1 for n in sizes)


def _ones(row: Row, sized: Set[str]) -> int:
    """Return the number of sizes that are one. `sized`: names with a larger size in some row."""
    return sum(integers(row[name]).count(1) for name in row if name in sized)


def _sizes(row: Row) -> Row:
    """Return the sizes of a row, without small numbers, which may be axes, as in `dim=1`."""
    sizes = {name: value for name, value in row.items() if is_size(value)}
    return {name: n for name, n in sizes.items() if type(n) is not int or n >= SMALLEST_SIZE}


def _work(row: Row) -> int:
    return math.prod(max(1, abs(n)) for value in row.values() for n in integers(value))


def integers(value: Any) -> list[int]:
    parts = value if isinstance(value, list | tuple) else ()
    return [value] if type(value) is int else [n for part in parts for n in integers(part)]


def is_odd(size: int) -> bool:
    """Return whether a size is no power of two and no multiple of a small block."""
    return bool(size % 16 and size & (size - 1))


def is_size(value: Any) -> bool:
    if type(value) is int:
        return value > 0
    return isinstance(value, list | tuple) and bool(value) and all(map(is_size, value))
