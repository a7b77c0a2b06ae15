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

from curation.source.functions import loaded_names, stored_names
from curation.source.text import Edits
from ingest.drafting.allocating import EMPTY, Allocating
from ingest.drafting.bounded import NotPlain
from ingest.drafting.choosing import Row
from ingest.drafting.parametrized_cases import Cases
from ingest.drafting.statements import flatten

# Elements of four bytes: 2 MiB of inputs in the first case, and 8 MiB in the others.
MOST_IN_FIRST = 2**19
MOST_ELEMENTS = 2**21
# A halved size has at least this value: blocks are rarely larger.
SMALLEST = 64
# A size keeps the powers of two that divide it, up to this one.
LARGEST_BLOCK = 128
SMALL_BLOCK = 16

BATCH = re.compile(r"b|z|bsz?|n?_?batch(es)?|batch_?size|num_(batch(es)?|seqs)", re.I)
BLOCK = re.compile(r".*(block|chunk|tile|group)_?(size.*|[a-z])?", re.I)
HEADS = re.compile(r"h(_?(q|kv?|v))?|(n|num)?_?([qkv]+_?)?heads?(_?[qkv]+)?|[qkv]+_?heads?", re.I)


@dataclass(frozen=True, slots=True)
class _Written:
    """A size that `make_inputs` holds as a constant. `name` is what it is bound to, or ""."""

    key: str
    node: ast.expr
    name: str
    value: int = 0
    is_length: bool = False
    """Whether it is stored in a tensor, as the length of a sequence is: `lengths[0] = 512`."""


def reduce_sizes(text: str, cases: Cases, function: str) -> tuple[str, Cases]:
    """Return a module with `make_inputs` and its cases with smaller sizes, where the inputs are too
    large. A constant that a name is bound to becomes a key of the cases.

    `function`: the name of `make_inputs` in the text.
    """
    tree = ast.parse(text)
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    if not found:
        return text, cases
    made = found[0]
    written = list(_written_sizes(made))
    counted = Allocating(_with_names(tree, written))
    rows: list[Row] = []
    changed: set[str] = set()
    for number, row in enumerate(cases.rows):
        sizes = {**row, **_values_of(written, row, counted)}
        lengths = {constant.value for constant in written if constant.is_length}
        reduction = _Reduction(sizes, lengths, counted, function)
        smaller = reduction.reduced(MOST_ELEMENTS if number else MOST_IN_FIRST)
        changed |= {key for key in sizes if smaller[key] != sizes[key]}
        rows.append(smaller)
    if not changed:
        return text, cases
    edits = Edits(text)
    moved: set[str] = set()
    for constant in written:
        values = [row[constant.key] for row in rows if constant.key in row]
        if constant.key not in changed:
            continue
        if constant.name and len(values) == len(rows):
            _move(constant, made, edits)
            moved.add(constant.name)
        else:
            edits.put(constant.node, repr(min(values)))
    kept = {name for row in cases.rows for name in row} | moved
    rows = [{name: value for name, value in row.items() if name in kept} for row in rows]
    fixed = (*cases.fixed, *sorted(moved))
    return edits.text(), replace(cases, rows=tuple(rows), fixed=fixed)


@dataclass(frozen=True, slots=True)
class _Smaller:
    """The smaller sizes so far: by the author's value, and by name where names alone change."""

    by_value: Mapping[int, int]
    by_name: Mapping[str, int]


def _move(constant: _Written, made: ast.FunctionDef, edits: Edits) -> None:
    """Let a name have its value from the case, beside the other names that do."""
    for block in (node for node in made.body if isinstance(node, ast.With)):
        for statement in block.body:
            match statement:
                case ast.Assign(targets=[ast.Name()], value=value) if (
                    value is constant.node and len(block.body) > 1
                ):
                    edits.drop(statement, alone=False)
                    line = f'{constant.name} = case["{constant.name}"]\n' + " " * block.col_offset
                    edits.replace(edits.start(block), edits.start(block), line)
                    return
    edits.put(constant.node, f'case["{constant.name}"]')


class _Reduction:
    """The reduction of one case. Sizes that the author writes alike stay alike."""

    def __init__(self, sizes: Row, lengths: Set[int], counted: Allocating, function: str) -> None:
        self._sizes, self._lengths = sizes, lengths
        self._blocks = [
            size
            for key, size in sizes.items()
            if BLOCK.fullmatch(key) and type(size) is int and size > 1
        ]
        self._counted, self._function = counted, function

    def reduced(self, most: int) -> Row:
        """Halve one size after the other until few enough elements are left."""
        smaller = _Smaller({}, {})
        self._counted.last.clear()
        total = self._elements(smaller)
        last = set(self._counted.last)
        while total % EMPTY > most:
            for trial in self._trials(smaller, last, total % EMPTY > MOST_ELEMENTS):
                fewer = self._elements(trial)
                if fewer < total:
                    total, smaller = fewer, trial
                    break
            else:
                break
        return self._row(smaller)

    def _elements(self, smaller: _Smaller) -> int:
        row = self._row(smaller)
        return self._counted.elements(self._function, {"case": row, **row})

    def _row(self, smaller: _Smaller) -> Row:
        changed = {key: _changed(size, smaller.by_value) for key, size in self._sizes.items()}
        return {**changed, **smaller.by_name}

    def _trials(self, smaller: _Smaller, last: Set[int], too_large: bool) -> Iterator[_Smaller]:
        """Yield smaller sizes: first fewer rows or tokens, then a smaller batch, then shorter rows.
        A kernel walks along its rows in blocks, so that short ones test less.
        """
        by_value = smaller.by_value
        values = {part for size in self._sizes.values() for part in _parts(size)}
        current = {value: by_value.get(value, value) for value in values}
        ordered = sorted(values, key=lambda value: (current[value], value), reverse=True)
        leading = [value for value in ordered if value not in last]
        for value in leading:
            if current[value] > 4 * SMALLEST:
                yield self._with_half(smaller, value)
        yield self._with_half_of(smaller, BATCH)
        for value in (*leading, *ordered):
            if current[value] > 2 * SMALLEST:
                yield self._with_half(smaller, value)
        if too_large:
            yield self._with_half_of(smaller, HEADS)

    def _with_half(self, smaller: _Smaller, value: int) -> _Smaller:
        """Halve a size, and the smaller constant lengths of sequences in `make_inputs` with it."""
        by_value = dict(smaller.by_value)
        by_value[value] = _half(by_value.get(value, value), self._blocks)
        for length in self._lengths:
            if length < value:
                by_value[length] = max(1, by_value.get(length, length) // 2)
        return replace(smaller, by_value=by_value)

    def _with_half_of(self, smaller: _Smaller, pattern: re.Pattern[str]) -> _Smaller:
        """Return smaller sizes with half of the batch, or of all kinds of heads if even."""
        row = self._row(smaller)
        named = {
            key: size
            for key, size in row.items()
            if pattern.fullmatch(key) and type(size) is int and size > 1
        }
        if pattern is BATCH:
            halves = {key: size // 2 | size % 2 for key, size in named.items() if size > 3}
        elif any(size % 2 for size in named.values()):
            return smaller
        else:
            halves = {key: size // 2 for key, size in named.items()}
        return replace(smaller, by_name={**smaller.by_name, **halves})


def _parts(size: Any) -> Iterator[int]:
    """Yield the whole numbers of a size that may be halved."""
    if type(size) is int and size > 2 * SMALLEST:
        yield size
    elif isinstance(size, list | tuple):
        for part in size:
            yield from _parts(part)


def _changed(size: Any, by_value: Mapping[int, int]) -> Any:
    """Return a size with other numbers. Bounds of sequences (`[0, 256, 1024]`) change as their last
    one does.
    """
    if type(size) is int:
        return by_value.get(size, size)
    if isinstance(size, list | tuple):
        if _are_bounds(size):
            return type(size)(_bounds(size, by_value.get(size[-1], size[-1])))
        return type(size)(_changed(part, by_value) for part in size)
    return size


def _half(size: int, blocks: Sequence[int]) -> int:
    """Return half of a size. An odd size stays odd, a multiple of a block stays a multiple, and one
    of no block stays one of none.
    """
    step = math.gcd(size, LARGEST_BLOCK)
    for block in blocks:
        if size % block == 0:
            step = math.lcm(step, block)
    if step == 1:
        return size // 2 | 1
    half = max(step, size // 2 // step * step)
    return half + step if step < SMALL_BLOCK and half % SMALL_BLOCK == 0 else half


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
    stored = {
        id(node.value)
        for node in ast.walk(made)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    }
    for node in ast.walk(made):
        match node:
            case ast.Constant(value=int(size)) if size > 2 * SMALLEST and id(node) not in named:
                yield _Written(f"the size {size}", node, "", size, id(node) in stored)


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
    for constant in written:
        try:
            value = counted.evaluator.value(constant.node, row)
        except NotPlain:
            continue
        if type(value) is int and value > 0 and constant.key not in row:
            values[constant.key] = value
    return values


def _with_names(tree: ast.Module, written: Sequence[_Written]) -> ast.Module:
    """Return a copy of a module that reads its constants by their keys."""
    keys: Mapping[int, str] = {id(one.node): one.key for one in written}
    memo: dict[int, Any] = {node: ast.Name(key, ast.Load()) for node, key in keys.items()}
    return copy.deepcopy(tree, memo)
