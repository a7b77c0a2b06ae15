"""Removal of conversions and detachments that change nothing."""

from __future__ import annotations

import ast

from ingest.drafting.edits import UNREADABLE, Edits
from ingest.drafting.in_place import arguments_of

Function = ast.FunctionDef

# Functions of torch that return whole numbers, if no type is given.
WHOLE_NUMBERS = {"torch.randint", "torch.randperm", "torch.bincount", "torch.argsort"}


def drop_second_conversions(text: str, entry: str) -> str:
    """Return the module whose function `entry` converts no result to the type that it has:
    `helper(x).to(x.dtype)`, where the helper returns what it has converted to the type of x.
    """
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return text
    functions = {node.name: node for node in tree.body if isinstance(node, Function)}
    function = functions.get(entry)
    if function is None:
        return text
    stored = _stored(function)
    edits = Edits(text)
    for node in ast.walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id=name)) as inner, attr="to"),
                args=[ast.Attribute(value=ast.Name(id=like), attr="dtype")],
                keywords=[],
            ) if name in functions and like not in stored:
                given = arguments_of(inner, functions[name])
                handed = {p for p, v in given if isinstance(v, ast.Name) and v.id == like}
                if _result_type(functions[name]) in handed:
                    edits.put(node, edits.of(inner))
    return edits.text()


def _result_type(function: Function) -> str:
    """Return the parameter to whose type every returned value is converted, or ""."""
    nodes = list(ast.walk(function))
    if any(isinstance(n, Function | ast.Lambda) and n is not function for n in nodes):
        return ""
    types = {_type_of(n.value, function) for n in nodes if isinstance(n, ast.Return)}
    return types.pop() if len(types) == 1 else ""


def _type_of(value: ast.expr | None, function: Function) -> str:
    match value:
        case ast.Call(func=ast.Attribute(attr="to"), args=[kind], keywords=[]):
            pass
        case ast.Call(
            func=ast.Attribute(attr="to"), args=[], keywords=[ast.keyword("dtype", kind)]
        ):
            pass
        case _:
            return ""
    stored = _stored(function)
    match kind:
        case ast.Attribute(value=ast.Name(id=name), attr="dtype") if name not in stored:
            return name
        case ast.Name(id=alias) if stored.count(alias) == 1:
            return _aliased_type(alias, function)
    return ""


def _aliased_type(alias: str, function: Function) -> str:
    """Return `x` if `alias = x.dtype` comes before another value of x."""
    before: list[str] = []
    for statement in function.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=bound)],
                value=ast.Attribute(value=ast.Name(id=name), attr="dtype"),
            ) if bound == alias:
                return "" if name in before else name
        before += _stored(statement)
    return ""


def _stored(node: ast.AST) -> list[str]:
    return [
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    ]


def drop_detached(text: str, entry: str, test: str) -> str:
    """Return the module whose function `entry` detaches no input that holds whole numbers, which
    take no gradients. `test` makes the inputs.
    """
    if ".detach()" not in text:
        return text
    try:
        tree = ast.parse(text)
        whole = _whole_numbers(ast.parse(test))
    except UNREADABLE:
        return text
    edits = Edits(text)
    for function in tree.body:
        if isinstance(function, Function) and function.name == entry:
            for statement in function.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                        name in whole and ast.unparse(value) == f"{name}.detach()"
                    ):
                        edits.drop(statement, alone=False)
    return edits.text()


def _whole_numbers(tree: ast.Module) -> set[str]:
    """Return the names in a test that only hold tensors of whole numbers."""
    kinds: dict[str, set[bool]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                made = isinstance(value, ast.Call) and ast.unparse(value.func) in WHOLE_NUMBERS
                typed = isinstance(value, ast.Call) and any(
                    each.arg == "dtype" and "int" not in ast.unparse(each.value)
                    for each in value.keywords
                )
                kinds.setdefault(name, set()).add(made and not typed)
            case ast.Name(id=name, ctx=ast.Store()):
                kinds.setdefault(name, set())
    stores = _stored(tree)
    return {name for name, kind in kinds.items() if kind == {True} and stores.count(name) == 1}
