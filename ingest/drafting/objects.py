"""Search for inputs that are objects of a class, which no process can hand to another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from curation.source.text import UNREADABLE


def find_objects(text: str, function: str) -> str:
    """Return a description of the first input that is an object of a class of the module, or "".

    `text`: the module with `make_inputs`, whose name is `function`.
    """
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return ""
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    made = functions.get(function)
    if made is None or not classes:
        return ""
    for name in _returned_names(made):
        for value in _values(made, name):
            if kind := _class_of(value, classes, functions, {function}):
                return f"an object of the class {kind} ({name})"
    return ""


def _returned_names(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function.body[-1]):
        if isinstance(node, ast.Name):
            yield node.id


def _values(function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    """Yield what a function binds a name to."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                yield value


def _class_of(
    value: ast.expr,
    classes: set[str],
    functions: dict[str, ast.FunctionDef],
    seen: set[str],
) -> str:
    """Return the class of a value, followed through functions that return it, or ""."""
    match value:
        case ast.Attribute(value=ast.Name(id=name)) if name in classes:
            return name
        case ast.Call(func=ast.Name(id=name)) if name in classes:
            return name
        case ast.Call(func=ast.Name(id=name)) if name in functions and name not in seen:
            returned = [node for node in ast.walk(functions[name]) if isinstance(node, ast.Return)]
            values = [node.value for node in returned if node.value is not None]
            found = (_class_of(each, classes, functions, {*seen, name}) for each in values)
            return next(filter(None, found), "")
    return ""
