"""Inlining of pytest fixtures into the tests that request them.

The statements of a fixture come before those of the test, and its value is bound to its name.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from curation.source.functions import stored_names

# Maximum depth of fixtures that request other fixtures.
DEEPEST = 4

Function = ast.FunctionDef
FindFixture = Callable[[str], "Function | None"]


def is_fixture(function: Function) -> bool:
    return any(_is_fixture_mark(decorator) for decorator in function.decorator_list)


def inline_fixtures(function: Function, find: FindFixture, depth: int = 0) -> Function:
    """Return the test with the fixtures that its parameters request inlined."""
    given = _parametrized(function)
    body: list[ast.stmt] = []
    kept: list[ast.arg] = []
    decorators = list(function.decorator_list)
    taken = stored_names(ast.If(ast.Constant(True), function.body, [])) | given
    for parameter in function.args.args:
        name = parameter.arg
        fixture = None
        if depth < DEEPEST and name not in given:
            fixture = find(name)
        if fixture is None or (written := _written(fixture, name, taken)) is None:
            kept.append(parameter)
            continue
        inner = ast.FunctionDef(**{**vars(fixture), "body": written, "decorator_list": []})
        inner = inline_fixtures(inner, find, depth + 1)
        present = {each.arg for each in kept}
        kept += [each for each in inner.args.args if each.arg not in present | {"request"}]
        decorators += inner.decorator_list
        body += inner.body
        taken |= stored_names(ast.If(ast.Constant(True), inner.body, []))
    if not body:
        return function
    arguments = ast.arguments(**{**vars(function.args), "args": kept, "defaults": []})
    if function.args.defaults:
        # The last parameters are those with a default. They are no fixtures.
        arguments.defaults = function.args.defaults
        last = {each.arg for each in function.args.args[-len(function.args.defaults) :]}
        arguments.args = [a for a in kept if a.arg not in last] + [a for a in kept if a.arg in last]
    written_test = {**vars(function), "args": arguments, "decorator_list": decorators}
    made = ast.FunctionDef(**{**written_test, "body": [*body, *function.body]})
    return ast.fix_missing_locations(made)


def _is_fixture_mark(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called) in {"pytest.fixture", "fixture"}


def _parametrized(function: Function) -> frozenset[str]:
    """Return the names that decorators parametrize."""
    given: set[str] = set()
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=func, args=[names, *_]) if ast.unparse(func).endswith("parametrize"):
                given.update(_listed(names))
    return frozenset(given)


def _listed(names: ast.expr) -> list[str]:
    match names:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",") if name.strip()]
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return [each.value for each in elts if isinstance(each, ast.Constant)]  # type: ignore[misc]
    return []


def _written(fixture: Function, name: str, taken: frozenset[str]) -> list[ast.stmt] | None:
    """Return the statements of a fixture, of which the last binds its value. Return None if the
    fixture ends in several places.
    """
    ends = [
        node
        for statement in fixture.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Return | ast.Yield)
    ]
    inner = {
        id(node)
        for statement in fixture.body
        for definition in ast.walk(statement)
        if isinstance(definition, Function | ast.Lambda)
        for node in ast.walk(definition)
    }
    ends = [node for node in ends if id(node) not in inner]
    places = [n for n, each in enumerate(fixture.body) if _end_value(each) is not None]
    if len(ends) != 1 or len(places) != 1:
        return None
    value = _end_value(fixture.body[places[0]])
    if value is None:
        return None
    body = copy.deepcopy(fixture.body[: places[0]])
    own = frozenset().union(*map(stored_names, body))
    if isinstance(value, ast.Name) and value.id in own:
        # The variable that is the fixture's value gets the fixture's name at once.
        new_names = {value.id: name}
        bound: list[ast.stmt] = []
    else:
        new_names = {}
        bound = [ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(value), lineno=1)]
    new_names |= {each: f"{name}_{each}" for each in own & taken if each not in new_names}
    rename = _Rename(new_names)
    return [rename.visit(statement) for statement in (*body, *bound)]


def _end_value(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.Return(value=ast.expr() as value):
            return value
        case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
            return value
    return None


class _Rename(ast.NodeTransformer):
    """Renaming of a fixture's variables."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._names.get(node.id, node.id)
        return node
