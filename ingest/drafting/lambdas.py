"""Calls of a side's own lambda expressions, written where they stand."""

from __future__ import annotations

import ast
from collections import Counter

from curation.source.text import Edits, parse, rewrite, walk

ROUNDS = 8


def write_lambdas(text: str, name: str) -> str:
    """Return the module whose function `name` computes what a lambda of its own computed that it
    called once, in its `return`.

    `gate = lambda a, b: a * b` and `return gate(*x.chunk(2))` become `a, b = x.chunk(2)` and
    `return a * b`.
    """
    return rewrite(text, lambda text: _written(text, name), ROUNDS)


def _written(text: str, name: str) -> str | None:
    for function in parse(text).body:
        if isinstance(function, ast.FunctionDef) and function.name == name:
            match function.body[-2:]:
                case [
                    ast.Assign(targets=[ast.Name(id=bound)], value=ast.Lambda() as made) as named,
                    ast.Return(value=ast.Call(func=ast.Name(id=called)) as call) as last,
                ] if bound == called:
                    assigned = _assigned(function, made, call, bound)
                    if assigned is None:
                        return None
                    edits = Edits(text)
                    edits.put(named, assigned)
                    edits.put(last, f"return {edits.of(made.body)}")
                    return edits.text()
    return None


def _assigned(
    function: ast.FunctionDef, made: ast.Lambda, call: ast.Call, bound: str
) -> str | None:
    """Return the assignment of a call's arguments to the parameters, or None if it can't be."""
    a = made.args
    parameters = [each.arg for each in a.args]
    if call.keywords or a.defaults or a.kwonlyargs or a.vararg or a.kwarg or a.posonlyargs:
        return None
    names = Counter(each.id for each in walk(function) if isinstance(each, ast.Name))
    names.update(each.arg for each in function.args.args)
    inside = Counter(each.id for each in walk(made.body) if isinstance(each, ast.Name))
    taken = any(names[each] > inside[each] for each in parameters)
    nested = any(isinstance(each, ast.Lambda) for each in walk(made.body))
    if taken or nested or not parameters or names[bound] != 2:
        return None
    match call.args:
        case [ast.Starred(value=value)] if len(parameters) > 1:
            return f"{', '.join(parameters)} = {ast.unparse(value)}"
        case args if len(args) == len(parameters) and not any(
            isinstance(each, ast.Starred) for each in args
        ):
            return f"{', '.join(parameters)} = {', '.join(map(ast.unparse, args))}"
    return None
