"""Removal of what no case of a test takes from the statements that make the inputs.

An author's test covers types and kinds of inputs that a draft's cases do not name. A condition on a
size is kept, because a checker varies sizes.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from curation.source.functions import loaded_names, stored_names
from ingest.drafting.bounded import NotPlain
from ingest.drafting.parameter_values import DtypeName, Evaluator

Row = Mapping[str, Any]
# Other names of complex types, by which two equal types would differ.
SECOND_NAMES = ("cfloat", "cdouble", "chalf")


def fold_cases(
    statements: Sequence[ast.stmt],
    evaluator: Evaluator,
    rows: Sequence[Row],
    fixed: Mapping[str, str],
) -> tuple[ast.stmt, ...]:
    """Return the statements without branches that no case takes. A list of types that only tells
    floating-point types from others is asked of the type itself.

    `fixed`: the expressions of parameters that are the same in every case.
    """
    bound = frozenset().union(*map(stored_names, statements)) if statements else frozenset()
    names = [name for name in rows[0] if name not in bound] if rows else []
    known = [name for name in names if all(_is_kind(row.get(name)) for row in rows)]
    types = {name: value for name, value in fixed.items() if re.fullmatch(r"torch\.\w+", value)}
    unknown = (bound | frozenset(rows[0] if rows else ()) | {*fixed}) - {*known, *types}
    folding = _Folding(evaluator, known, types, unknown)
    kept: list[ast.stmt] = []
    for statement in statements:
        kept += folding.block([copy.deepcopy(statement)], rows)
    return tuple(ast.fix_missing_locations(each) for each in kept)


def _is_kind(value: object) -> bool:
    return isinstance(value, DtypeName | str)


class _Folding:
    def __init__(
        self,
        evaluator: Evaluator,
        names: Sequence[str],
        types: Mapping[str, str],
        unknown: frozenset[str],
    ) -> None:
        self._unknown = unknown | {"device"}
        self._evaluator = evaluator
        self._fixed = {
            name: evaluator.value(ast.parse(value, mode="eval").body)
            for name, value in types.items()
        }
        self._names = frozenset(names)

    def block(self, statements: Sequence[ast.stmt], rows: Sequence[Row]) -> list[ast.stmt]:
        """Return the statements of a block that the given cases reach."""
        kept: list[ast.stmt] = []
        for statement in statements:
            if not isinstance(statement, ast.If):
                for part in ("body", "orelse", "finalbody"):
                    if inner := getattr(statement, part, None):
                        setattr(statement, part, self.block(inner, rows) or [ast.Pass()])
                kept.append(_Expressions(self, rows).visit(statement))
                continue
            values = self.values(statement.test, rows)
            if values is None:
                statement.body = self.block(statement.body, rows)
                statement.orelse = self.block(statement.orelse, rows)
                kept.append(_Expressions(self, rows).visit(statement))
                continue
            true = [row for row, value in zip(rows, values, strict=True) if value]
            false = [row for row, value in zip(rows, values, strict=True) if not value]
            if not true or not false:
                kept += self.block(statement.body if true else statement.orelse, rows)
                continue
            statement.test = self.plain(statement.test, true, false)
            statement.body = self.block(statement.body, true) or [ast.Pass()]
            statement.orelse = self.block(statement.orelse, false)
            kept.append(_positive(statement))
        return kept

    def values(self, test: ast.expr, rows: Sequence[Row]) -> list[bool] | None:
        """Return the condition's value in each case, or None if it depends on more."""
        text = ast.unparse(test) + str(self._fixed)
        if any(name in text for name in SECOND_NAMES) or loaded_names(test) & self._unknown:
            return None
        values = []
        for row in rows:
            known = {**self._fixed, **{name: row[name] for name in self._names}}
            try:
                value = self._evaluator.value(test, known)
            except NotPlain:
                return None
            if not isinstance(value, bool):
                return None
            values.append(value)
        return values

    def plain(self, test: ast.expr, true: Sequence[Row], false: Sequence[Row]) -> ast.expr:
        """Return `dtype.is_floating_point` in place of `dtype in FLOAT_DTYPES`."""
        match test:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.In() | ast.NotIn()]):
                pass
            case _:
                return test
        kinds = [
            {row[name].name for row in rows if isinstance(row.get(name), DtypeName)}
            for rows in (true, false)
        ]
        if not all(kinds):
            return test
        for negated, (yes, no) in enumerate((kinds, kinds[::-1])):
            if all("float" in each for each in yes) and not any("float" in each for each in no):
                text = f"{'not ' * negated}{name}.is_floating_point"
                return ast.parse(text, mode="eval").body
            if yes == {"bool"} and "bool" not in no:
                return ast.parse(f"{name} {'!=' if negated else '=='} torch.bool", mode="eval").body
        return test


def _positive(statement: ast.If) -> ast.If:
    """Swap the branches of a negated condition."""
    match statement:
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=test)) if statement.orelse:
            statement.test = test
            statement.body, statement.orelse = statement.orelse, statement.body
    return statement


class _Expressions(ast.NodeTransformer):
    """Choice between the values of `a if dtype in FLOAT_DTYPES else b`."""

    def __init__(self, folding: _Folding, rows: Sequence[Row]) -> None:
        self._folding, self._rows = folding, rows

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        values = self._folding.values(node.test, self._rows)
        if values is None or not values or len(set(values)) > 1:
            return node
        return node.body if values[0] else node.orelse
