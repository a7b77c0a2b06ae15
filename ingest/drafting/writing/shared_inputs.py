"""The two sides of a draft, and the inputs that they share."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from curation.source.functions import assignment
from curation.source.text import parse, walk


@dataclass(frozen=True, slots=True)
class SharedInputs:
    """The function `make_inputs` of a test, and the cases that it reads."""

    function: ast.FunctionDef
    cases: tuple[ast.Dict, ...]
    handed: Mapping[str, str]
    """The names that `make_inputs` returns, by the parameter of the sides."""

    @property
    def names(self) -> dict[str, str]:
        """Return the parameters of the sides, by the names in `make_inputs`."""
        return {inner: parameter for parameter, inner in self.handed.items()}

    def stores(self) -> Counter[str]:
        return Counter(
            node.id
            for node in walk(self.function)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        )

    def blocks(self) -> Iterator[list[ast.stmt]]:
        yield self.function.body
        for statement in self.function.body:
            if isinstance(statement, ast.With):
                yield statement.body

    def values(self) -> dict[str, ast.expr]:
        """Return the values of names that are bound only once, by a statement that always runs."""
        stores = self.stores()
        return {
            statement.targets[0].id: statement.value
            for block in self.blocks()
            for statement in block
            if isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and stores[statement.targets[0].id] == 1
        }


def read_side(text: str, name: str) -> ast.FunctionDef | None:
    """Return the function with this name at the top level of a text, or None."""
    functions = (node for node in parse(text).body if isinstance(node, ast.FunctionDef))
    return next((each for each in functions if each.name == name), None)


def read_cases(test: str) -> list[ast.Dict]:
    """Return the rows of a test's `CASES`."""
    cases = assignment(parse(test), "CASES")
    rows = cases.value.elts if cases and isinstance(cases.value, ast.List) else []
    return [each for each in rows if isinstance(each, ast.Dict)]


def read_handed(test: str, count: int) -> ast.Tuple | None:
    """Return the tuple that `make_inputs` returns if it has `count` elements, or None."""
    function = read_side(test, "make_inputs")
    match function and function.body[-1]:
        case ast.Return(value=ast.Tuple(elts=elements) as handed) if len(elements) == count:
            return handed
    return None


def read_inputs(test: str, first: ast.FunctionDef, second: ast.FunctionDef) -> SharedInputs | None:
    """Return the inputs of two sides. Return None if parameters differ or an input is no name."""
    parameters = [each.arg for each in first.args.args]
    function, handed = read_side(test, "make_inputs"), read_handed(test, len(parameters))
    if parameters != [each.arg for each in second.args.args] or function is None or handed is None:
        return None
    inner = [each.id for each in handed.elts if isinstance(each, ast.Name)]
    if len(set(inner)) != len(parameters):
        return None
    cases = tuple(read_cases(test))
    return SharedInputs(function, cases, dict(zip(parameters, inner, strict=True)))
