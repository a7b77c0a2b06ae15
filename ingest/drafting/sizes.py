"""Reduction of sizes that make the inputs of a case too large.

A checker copies the inputs of a case between processes many times and leaves out those of many
megabytes. A case of 100 MiB takes it a minute, one of 2 MiB a second.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from ingest.drafting.allocating import Allocating
from ingest.drafting.bounded import NotPlain
from ingest.drafting.cases import Cases, Row
from ingest.drafting.edits import Edits
from ingest.drafting.statements import flatten, loaded_names, stored_names

# Elements of four bytes: 2 MiB of inputs in the first case, and 8 MiB in the others.
MOST_IN_FIRST = 2**19
MOST_ELEMENTS = 2**21
# A halved size has at least this value: blocks are rarely larger.
SMALLEST = 64
# A size keeps the powers of two that divide it, up to this one.
LARGEST_BLOCK = 128

BATCH = re.compile(r"b|z|bsz?|n?_?batch(es)?|batch_?size|num_(batch(es)?|seqs)", re.I)
HEADS = re.compile(r"h(_?(q|kv?|v))?|(n|num)?_?([qkv]+_?)?heads?(_?[qkv]+)?|[qkv]+_?heads?", re.I)


@dataclass(frozen=True, slots=True)
class _Written:
    """A size that `make_inputs` holds as a constant. `name` is what it is bound to, or ""."""

    key: str
    node: ast.expr
    name: str


def reduce_sizes(text: str, cases: Cases, function: str) -> tuple[str, Cases]:
    """Return a module with `make_inputs` and its cases with smaller sizes, where the inputs are too
    large. A constant that a name is bound to becomes a key of the cases.

    `function`: the name of `make_inputs` in the text.
    """
    tree = ast.parse(text)
    made = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    written = list(_written_sizes(made))
    counted = Allocating(_with_names(tree, written))
    rows: list[Row] = []
    changed: set[str] = set()
    for number, row in enumerate(cases.rows):
        sizes = {**row, **_values_of(written, row, counted)}
        most = MOST_ELEMENTS if number else MOST_IN_FIRST
        smaller = _reduced(sizes, counted, function, most)
        changed |= {key for key in sizes if smaller[key] != sizes[key]}
        rows.append(smaller)
    if not changed:
        return text, cases
    edits = Edits(text)
    moved: set[str] = set()
    for one in written:
        values = [row[one.key] for row in rows if one.key in row]
        if one.key not in changed:
            continue
        if one.name and len(values) == len(rows):
            edits.put(one.node, f'case["{one.name}"]')
            moved.add(one.name)
        else:
            edits.put(one.node, repr(min(values)))
    kept = {name for row in cases.rows for name in row} | moved
    rows = [{name: value for name, value in row.items() if name in kept} for row in rows]
    fixed = (*cases.fixed, *sorted(moved))
    return edits.text(), replace(cases, rows=tuple(rows), fixed=fixed)


def _reduced(sizes: Row, counted: Allocating, function: str, most: int) -> Row:
    """Halve one size after the other until few enough elements are left."""
    total = _elements(sizes, counted, function)
    while total > most:
        for smaller in _trials(sizes, counted.last, total > MOST_ELEMENTS):
            fewer = _elements(smaller, counted, function)
            if fewer < total:
                total, sizes = fewer, smaller
                break
        else:
            return sizes
    return sizes


def _trials(sizes: Row, last: Set[int], too_large: bool) -> Iterator[Row]:
    """Yield rows with a smaller size: first with fewer rows or tokens, then with a smaller batch,
    then with shorter rows. A kernel walks along its rows in blocks, so that short ones test less.
    """
    values = sorted({n for size in sizes.values() for n in _parts(size)}, reverse=True)
    leading = [value for value in values if value not in last]
    yield from (_with_half(sizes, value) for value in leading if value > 4 * SMALLEST)
    yield _with_half_of(sizes, BATCH)
    for value in (*leading, *values):
        yield _with_half(sizes, value)
    if too_large:
        yield _with_half_of(sizes, HEADS)


def _with_half(sizes: Row, value: int) -> Row:
    """Return a row with all sizes of a value halved: they may have to be equal."""
    return {key: _halved(size, value) for key, size in sizes.items()}


def _with_half_of(sizes: Row, pattern: re.Pattern[str]) -> Row:
    """Return a row with half of the batch, or of all kinds of heads, if they are even."""
    named = {
        key: size
        for key, size in sizes.items()
        if pattern.fullmatch(key) and type(size) is int and size > 1
    }
    if any(size % 2 or (pattern is BATCH and size == 2) for size in named.values()):
        return sizes
    return {**sizes, **{key: size // 2 for key, size in named.items()}}


def _elements(sizes: Row, counted: Allocating, function: str) -> int:
    return counted.elements(function, {"case": sizes, **sizes})


def _parts(size: Any) -> Iterator[int]:
    """Yield the whole numbers of a size that may be halved."""
    if type(size) is int and size > 2 * SMALLEST:
        yield size
    elif isinstance(size, list | tuple):
        for part in size:
            yield from _parts(part)


def _halved(size: Any, value: int) -> Any:
    """Return a size with all numbers of a value halved. Bounds of sequences (`[0, 256, 1024]`) are
    halved together with their last.
    """
    if size == value and type(size) is int:
        return _half(size)
    if isinstance(size, list | tuple):
        if _are_bounds(size):
            if size[-1] != value:
                return size
            return type(size)(_bounds(size, _half(value)))
        return type(size)(_halved(part, value) for part in size)
    return size


def _half(size: int) -> int:
    """Return half of a size. An odd size stays odd, and a multiple of a block stays a multiple."""
    block = math.gcd(size, LARGEST_BLOCK)
    if block == 1:
        return size // 2 | 1
    return max(block, size // 2 // block * block)


def _are_bounds(size: Sequence[Any]) -> bool:
    whole = len(size) > 2 and all(type(part) is int for part in size)
    return whole and size[0] == 0 and all(a < b for a, b in itertools.pairwise(size))


def _bounds(size: Sequence[int], last: int) -> Iterator[int]:
    """Yield rising bounds up to a smaller last one."""
    previous = -1
    for number, part in enumerate(size):
        left = len(size) - 1 - number
        previous = min(max(previous + 1, part * last // size[-1]), last - left)
        yield previous


def _written_sizes(made: ast.FunctionDef) -> Iterator[_Written]:
    """Yield the constants of `make_inputs` that may be sizes, those in calls included."""
    statements = list(flatten(made.body))
    bound = [name for one in statements for name in sorted(stored_names(one))]
    named: set[int] = set()
    for statement in statements:
        for name, value in _bindings(statement):
            if _is_written_out(value) and bound.count(name) == 1:
                named |= {id(node) for node in ast.walk(value)}
                yield _Written(name, value, name)
    for node in ast.walk(made):
        match node:
            case ast.Constant(value=int(value)) if value > 2 * SMALLEST and id(node) not in named:
                yield _Written(f"the size {value}", node, "")


def _bindings(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            for target, value in zip(targets, values, strict=False):
                if isinstance(target, ast.Name):
                    yield target.id, value


def _is_written_out(value: ast.expr) -> bool:
    """Return whether a value depends on no other size: `4096`, or `64 if causal else 128`."""
    if isinstance(value, ast.IfExp):
        return _is_written_out(value.body) and _is_written_out(value.orelse)
    return isinstance(value, ast.Constant | ast.BinOp) and not loaded_names(value)


def _values_of(written: Sequence[_Written], row: Row, counted: Allocating) -> dict[str, int]:
    """Return the constants that are whole numbers, by their keys."""
    values: dict[str, int] = {}
    for one in written:
        try:
            value = counted.evaluator.value(one.node, row)
        except NotPlain:
            continue
        if type(value) is int and value > 0 and one.key not in row:
            values[one.key] = value
    return values


def _with_names(tree: ast.Module, written: Sequence[_Written]) -> ast.Module:
    """Return a copy of a module that reads its constants by their keys."""
    keys: Mapping[int, str] = {id(one.node): one.key for one in written}
    memo: dict[int, Any] = {node: ast.Name(key, ast.Load()) for node, key in keys.items()}
    return copy.deepcopy(tree, memo)
