"""Reduction of sizes that a test writes into its body, where they make the inputs too large.

A checker copies the inputs of a case between processes and leaves out those of many megabytes. A
size that is a constant of the body becomes a key of the case, at a smaller value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ingest.drafting.bounded import NotPlain
from ingest.drafting.cases import Cases, Row
from ingest.drafting.slices import Cut
from ingest.drafting.statements import find_effects, loaded_names
from ingest.drafting.values import Evaluator

# 64 MiB in float32. An H100 run compares inputs of up to 128 MiB.
MOST_ELEMENTS = 2**24
# Halving stops here: blocks are rarely larger.
SMALLEST = 64
ALLOCATING = {"torch.randn", "torch.rand", "torch.empty", "torch.zeros", "torch.ones"}


def reduce_sizes(whole: Cut, cases: Cases, evaluator: Evaluator) -> tuple[Cut, Cases]:
    """Return the cut without the constants that became keys of the cases, and these cases."""
    statements = _constants(whole.inputs)
    rows = [_reduced(row, whole.inputs, statements, evaluator) for row in cases.rows]
    moved = set().union(
        *(row.keys() - old.keys() for row, old in zip(rows, cases.rows, strict=True))
    )
    if not moved:
        return whole, cases
    for row in rows:
        sizes = _sizes(row, statements, evaluator)
        row.update({name: sizes[name] for name in moved - row.keys()})
    gone = {id(statements[name]) for name in moved}
    kept = tuple(statement for statement in whole.inputs if id(statement) not in gone)
    fixed = (*cases.fixed, *sorted(moved))
    return replace(whole, inputs=kept), replace(cases, rows=tuple(rows), fixed=fixed)


def _reduced(
    row: Row, inputs: Sequence[ast.stmt], statements: Mapping[str, ast.Assign], evaluator: Evaluator
) -> Row:
    """Return a row with the constants of too large allocations at smaller values."""
    sizes = _sizes(row, statements, evaluator)
    reduced: Row = {}
    for shape in _shapes(inputs):
        names = [name for part in shape for name in sorted(loaded_names(part)) if name in sizes]
        while (_elements(shape, {**row, **sizes}, evaluator) or 0) > MOST_ELEMENTS:
            name = max(names, key=lambda each: sizes[each], default="")
            if not name or sizes[name] % 2 or sizes[name] <= SMALLEST:
                break
            sizes[name] //= 2
            reduced[name] = sizes[name]
    return {**row, **{name: sizes[name] for name in reduced}}


def _constants(inputs: Sequence[ast.stmt]) -> dict[str, ast.Assign]:
    """Return the statements that alone bind a name to a written value, by this name."""
    constants: dict[str, ast.Assign] = {}
    bound = [name for one in inputs for name in find_effects(one).binds | find_effects(one).changes]
    for statement in inputs:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound.count(name) == 1:
                if _is_written_out(value):
                    constants[name] = statement
    return constants


def _is_written_out(value: ast.expr) -> bool:
    """Return whether a value depends on no other size: `4096`, or `64 if causal else 128`."""
    if isinstance(value, ast.IfExp):
        return _is_written_out(value.body) and _is_written_out(value.orelse)
    return not loaded_names(value)


def _sizes(row: Row, statements: Mapping[str, ast.Assign], evaluator: Evaluator) -> dict[str, int]:
    """Return the constants that are whole numbers, by their names."""
    sizes: dict[str, int] = {}
    for name, statement in statements.items():
        try:
            value = evaluator.value(statement.value, row)
        except NotPlain:
            continue
        if type(value) is int and value > 0 and name not in row:
            sizes[name] = value
    return sizes


def _shapes(inputs: Sequence[ast.stmt]) -> Iterator[list[ast.expr]]:
    """Yield the shapes that the inputs allocate."""
    for statement in inputs:
        for node in ast.walk(statement):
            match node:
                case ast.Call(func=func, args=[ast.Tuple(elts=shape) | ast.List(elts=shape), *_]):
                    pass
                case ast.Call(func=func, args=[_, *_] as shape):
                    pass
                case _:
                    continue
            if ast.unparse(func) in ALLOCATING:
                yield shape


def _elements(shape: Sequence[ast.expr], names: Row, evaluator: Evaluator) -> int | None:
    """Return the number of elements of a shape, or None if it is unknown."""
    count = 1
    for part in shape:
        try:
            value = evaluator.value(part, names)
        except NotPlain:
            return None
        if type(value) is not int:
            return None
        count *= value
    return count
