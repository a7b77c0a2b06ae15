"""The three texts of a draft, read as two sides and the inputs that these share."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from curation.source.text import parse, walk


@dataclass(frozen=True, slots=True)
class Side:
    """The entry point of one side."""

    text: str
    function: ast.FunctionDef


@dataclass(frozen=True, slots=True)
class SharedInputs:
    """The function `make_inputs` of a test, and the cases that it reads."""

    function: ast.FunctionDef
    cases: tuple[ast.Dict, ...]
    handed: Mapping[str, str]
    """The names that `make_inputs` hands over, by the parameters of the sides."""

    @property
    def names(self) -> dict[str, str]:
        """Return the parameters by the names of `make_inputs`."""
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
        """Return the values of names that are bound once, by a statement that always runs."""
        stores = self.stores()
        return {
            statement.targets[0].id: statement.value
            for block in self.blocks()
            for statement in block
            if isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and stores[statement.targets[0].id] == 1
        }


def read_side(text: str, name: str) -> Side | None:
    for node in parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return Side(text, node)
    return None


def read_inputs(test: str, first: ast.FunctionDef, second: ast.FunctionDef) -> SharedInputs | None:
    parameters = [each.arg for each in first.args.args]
    if parameters != [each.arg for each in second.args.args]:
        return None
    function, cases = None, None
    for node in parse(test).body:
        match node:
            case ast.FunctionDef(name="make_inputs"):
                function = node
            case ast.Assign(targets=[ast.Name(id="CASES")], value=ast.List(elts=rows)):
                cases = rows
    if function is None or cases is None or not all(isinstance(each, ast.Dict) for each in cases):
        return None
    match function.body[-1]:
        case ast.Return(value=ast.Tuple(elts=handed)) if len(handed) == len(parameters):
            pass
        case _:
            return None
    names = {
        parameter: value.id
        for parameter, value in zip(parameters, handed, strict=True)
        if isinstance(value, ast.Name)
    }
    if len(set(names.values())) != len(parameters):
        return None
    return SharedInputs(function, tuple(e for e in cases if isinstance(e, ast.Dict)), names)
