"""Search for smaller sizes of cases whose inputs are too large.

A checker copies a case's inputs between processes many times, and skips cases of too many
megabytes. It needs a minute for a case of 100 MiB and a second for one of 2 MiB.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

MATTERS = 2**16
"""Minimum elements of a tensor whose last axis is halved only after the other axes."""
# Minimum value of a halved size. Blocks are rarely larger.
SMALLEST = 64
# A halved size stays divisible by the powers of two that divide the size, up to this one.
LARGEST_BLOCK = 128
SMALL_BLOCK = 16
BATCH = re.compile(r"b|z|bsz?|n?_?batch(es)?|batch_?size|num_(batch(es)?|seqs)", re.I)

Row = Mapping[str, Any]
Shapes = list[list[int]]


def reduced(
    rows: Sequence[Row], constants: Row, shapes: Callable[[Row, Row], Shapes], most: int
) -> tuple[list[Row], Row]:
    """Return the cases with smaller sizes, and the smaller constants of `make_inputs`.

    shapes: returns the shapes of a case's inputs, given the case and changed constants.
    most: maximum elements of the first case. The other cases may have four times as many.
    """
    made: list[Row] = []
    for number, row in enumerate(rows):
        written = {name: size for name, size in constants.items() if name not in row}

        def measure(sizes: Row, row: Row = row, written: Row = written) -> Shapes:
            return shapes(*({name: sizes[name] for name in names} for names in (row, written)))

        sizes = _search({**written, **row}, measure, 4 * most if number else most)
        made.append({name: sizes[name] for name in row})
        constants = {**constants, **{name: sizes[name] for name in written}}
    return made, constants


def _search(row: Row, measure: Callable[[Row], Shapes], most: int) -> Row:
    """Halve one size after another until the inputs have few enough elements."""
    shapes, halved = measure(row), dict[int, int]()
    empty = sum(0 in each for each in shapes)
    last = {each[-1] for each in shapes if _count([each]) >= MATTERS}
    while _count(shapes) > most:
        for trial in _trials(row, halved, last):
            # If a halved size does not fit the other sizes, a trial makes no inputs or empty ones,
            # and is refused.
            fewer = measure(_changed(row, trial))
            if 0 < _count(fewer) < _count(shapes) and sum(0 in each for each in fewer) == empty:
                shapes, halved = fewer, trial
                break
        else:
            break
    return dict(_changed(row, halved))


def _count(shapes: Shapes) -> int:
    return sum(map(math.prod, shapes))


def _trials(row: Row, halved: Mapping[int, int], last: Collection[int]) -> Iterator[dict[int, int]]:
    """Yield smaller sizes in this order: fewer rows or tokens, a smaller batch, shorter rows. Rows
    are last, because a kernel walks along its rows in blocks: short rows test less of it.
    """
    current = {value: halved.get(value, value) for value in _parts([*row.values()])}
    ordered = sorted(current, key=lambda value: (current[value], value), reverse=True)
    leading = [value for value in ordered if value not in last]
    large = [value for value in leading if current[value] > 4 * SMALLEST]
    batches = [size for key, size in row.items() if BATCH.fullmatch(key) and type(size) is int]
    for value in (*large, *batches, *leading, *ordered):
        if current[value] > 2 * SMALLEST:
            yield {**halved, value: _half(current[value])}
        elif value in batches and current[value] > 3:
            yield {**halved, value: current[value] // 2 | current[value] % 2}


def _parts(size: Any) -> Iterator[int]:
    """Yield the integers in a size, which may be a nested list."""
    if type(size) is int:
        yield size
    elif isinstance(size, list | tuple):
        for part in size:
            yield from _parts(part)


def _changed(size: Any, halved: Mapping[int, int]) -> Any:
    if isinstance(size, dict):
        return {name: _changed(part, halved) for name, part in size.items()}
    if isinstance(size, list | tuple):
        return type(size)(_changed(part, halved) for part in size)
    return halved.get(size, size) if type(size) is int else size


def _half(size: int) -> int:
    """Return half of a size. An odd size stays odd. A multiple of a block stays a multiple. A size
    that is not a multiple of SMALL_BLOCK does not become one.
    """
    step = math.gcd(size, LARGEST_BLOCK)
    if step == 1:
        return size // 2 | 1
    half = max(step, size // 2 // step * step)
    return half + step if step < SMALL_BLOCK and half % SMALL_BLOCK == 0 else half


def find_inputs(test: str) -> ast.FunctionDef:
    functions = (each for each in ast.parse(test).body if isinstance(each, ast.FunctionDef))
    return next(each for each in functions if each.name == "make_inputs")


def find_constants(function: ast.FunctionDef) -> Iterator[tuple[str, ast.Constant]]:
    """Yield the integers of a function, by the name that is assigned to each, or by their text."""
    named: dict[int, str] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                named[id(value)] = name
            case ast.Constant(value=value) if type(value) is int:
                yield named.get(id(node), str(value)), node
