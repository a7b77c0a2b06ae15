"""Values are worked out in bounded time and memory, whatever an author wrote."""

from __future__ import annotations

import ast

import pytest

from ingest.drafting.reading.bounded import MOST_ITEMS, NotPlain
from ingest.drafting.reading.parameter_values import Evaluator, NamedValue

STEPS = 60


def worked_out(expression: str, module: str = "") -> object:
    names: dict[str, ast.expr | ast.FunctionDef] = {}
    for statement in ast.parse(module).body:
        if isinstance(statement, ast.FunctionDef):
            names[statement.name] = statement
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            names[statement.targets[0].id] = statement.value

    def lookup(name: str) -> NamedValue | None:
        return NamedValue(names[name], lookup) if name in names else None

    return Evaluator(lookup).value(ast.parse(expression, mode="eval").body)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 ** 10 + 1", 1025),
        ("[1, 2] + [3]", [1, 2, 3]),
        ("(1, *[2, 3])", (1, 2, 3)),
        ("[0] * 3", [0, 0, 0]),
        ("7 % 4", 3),
        ("2 ** -1", 0.5),
        ("'a' + 'b'", "ab"),
        ("[n * n for n in range(4) if n % 2]", [1, 9]),
    ],
)
def test_common_expressions_of_authors_are_evaluated(expression: str, value: object) -> None:
    assert worked_out(expression) == value


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("[1]", "x = x + x"),
        ("[1]", "x += x"),
        ("[1]", "x = [*x, *x]"),
        ("'a'", "x = x + x"),
        ("[1]", "x = x * 100"),
        ("3", "x = x * x"),
        ("3", "x = x ** 63"),
        ("[1]", "x = [x, x] + x + x"),
        ("[1]", "x = [x, x]"),
        ("[1]", "x = (x, x)"),
        ("[1]", "x = [x] * 50"),
        ("[1]", "x = {'a': x, 'b': x}"),
        ("[1]", "x = list(zip(x, x))"),
    ],
)
def test_a_value_that_grows_without_bound_is_not_evaluated(first: str, again: str) -> None:
    grows = f"def grown():\n    x = {first}\n" + f"    {again}\n" * STEPS + "    return x\n"

    with pytest.raises(NotPlain):
        worked_out("grown()", grows)


@pytest.mark.parametrize(
    "expression",
    [
        "'%1000000000d' % 1",
        "'a' * 10**9",
        "10**9 * 'a'",
        "(10**60)**63",
        f"[*range({MOST_ITEMS + 9}), *[1]]",
    ],
)
def test_a_huge_value_is_not_evaluated(expression: str) -> None:
    with pytest.raises(NotPlain):
        worked_out(expression)


def test_evaluating_a_recursive_function_ends() -> None:
    with pytest.raises((NotPlain, RecursionError)):
        worked_out("again(1)", "def again(n):\n    return again(n)\n")
