"""The three texts of a draft, read as two sides and the inputs that these share."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from curation.source.text import Edits, parse, walk


@dataclass(frozen=True, slots=True)
class SharedTexts:
    python: str
    triton: str
    test: str


@dataclass(frozen=True, slots=True)
class Side:
    """The entry point of one side."""

    text: str
    function: ast.FunctionDef

    def names(self, name: str) -> list[ast.Name]:
        return [n for n in walk(self.function) if isinstance(n, ast.Name) and n.id == name]

    def reads(self, name: str) -> bool:
        return bool(self.names(name))

    def is_plain(self, name: str) -> bool:
        """Return whether each read of a parameter can be replaced: nothing hides or rebinds it."""
        names = self.names(name)
        inner = [
            argument.arg
            for node in walk(self.function)
            if isinstance(node, ast.FunctionDef | ast.Lambda) and node is not self.function
            for argument in walk(node.args)
            if isinstance(argument, ast.arg)
        ]
        # Python 3.11 does not tell the places of names in a text with values in braces.
        formatted = {
            id(part)
            for node in walk(self.function)
            if isinstance(node, ast.JoinedStr)
            for part in walk(node)
        }
        return (
            name not in inner
            and all(isinstance(each.ctx, ast.Load) for each in names)
            and not any(id(each) in formatted for each in names)
        )

    def replaced(self, name: str, expression: str) -> str:
        edits = Edits(self.text)
        conditional = isinstance(ast.parse(expression, mode="eval").body, ast.IfExp)
        alone = {
            id(child)
            for node in walk(self.function)
            if isinstance(node, ast.keyword | ast.Assign | ast.Return | ast.Call)
            for child in ast.iter_child_nodes(node)
            if not (isinstance(node, ast.Call) and child is node.func)
        }
        for node in self.names(name):
            inner = conditional and id(node) not in alone
            edits.put(node, f"({expression})" if inner else expression)
        return edits.text()


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

    def assigned(self, name: str) -> list[ast.expr]:
        """Return the values that `make_inputs` assigns to a name."""
        return [
            node.value
            for node in walk(self.function)
            if isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
        ]

    def changes(self, name: str) -> bool:
        """Return whether a statement may write to a tensor after it is made."""
        for node in walk(self.function):
            match node:
                case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target]):
                    written: list[ast.AST] = [target.value]
                case ast.AugAssign(target=target):
                    written = [target]
                case ast.Expr(value=ast.Call(func=func, args=args)):
                    written = [func, *args]
                case ast.Call(func=ast.Name(), args=args, keywords=keywords):
                    written = [*args, *(each.value for each in keywords)]
                case _:
                    continue
            inner = [each for part in written for each in walk(part)]
            if any(isinstance(each, ast.Name) and each.id == name for each in inner):
                return True
        return False

    def values(self) -> dict[str, ast.expr]:
        """Return the values of names that are bound once, by a statement that always runs."""
        stores = self.stores()
        return {
            name: value
            for block in self.blocks()
            for name, value in assignments(block)
            if stores[name] == 1
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


def assignments(block: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in block:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
