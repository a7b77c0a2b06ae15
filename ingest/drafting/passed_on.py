"""Calls of helpers that only pass their arguments on, written as the calls that these make."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

from curation.source.functions import signature
from curation.source.text import Edits, cached, parse, rewrite, walk

ROUNDS = 12
# Expressions that need no parentheses inside of another.
WHOLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


@cached
def write_calls(text: str, name: str) -> str:
    """Return the module whose function `name` calls what such a helper calls, also inside of an
    expression. The helper stays for `prune` to remove.
    """
    return rewrite(text, lambda text: _written_once(text, name), ROUNDS)


def _written_once(text: str, name: str) -> str:
    tree = parse(text)
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    entry = functions.get(name)
    if entry is None:
        return text
    formatted = {
        id(part) for node in walk(entry) if isinstance(node, ast.JoinedStr) for part in walk(node)
    }
    inner = {n.arg for n in walk(entry) if isinstance(n, ast.arg)}
    stored = {
        n.id for n in walk(entry) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    for call in walk(entry):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        helper = functions.get(call.func.id)
        if helper is None or helper is entry or id(call) in formatted:
            continue
        answer = _passed(helper)
        if answer is None:
            continue
        own = {each.arg for each in helper.args.args}
        free = {n.id for n in walk(answer) if isinstance(n, ast.Name)} - own
        given = signature(helper.args).bind(call)
        # A name of the module may have another meaning in the function.
        if given is None or free & (inner | stored):
            continue
        edits = Edits(text)
        edits.put(call, ast.unparse(_Arguments(given).visit(copy.deepcopy(answer))))
        return edits.text()
    return text


@cached
def write_arguments(text: str) -> str:
    """Return the module that writes an argument where it calls a helper that only returns it. The
    helper stays for `prune` to remove.
    """
    return rewrite(text, _with_argument, ROUNDS)


def _with_argument(text: str) -> str | None:
    tree = parse(text)
    returning = {
        each.name for each in tree.body if isinstance(each, ast.FunctionDef) and _returns_its(each)
    }
    for call in walk(tree) if returning else ():
        match call:
            case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if (
                name in returning and isinstance(value, WHOLE)
            ):
                edits = Edits(text)
                edits.put(call, edits.of(value))
                return edits.text()
    return None


def _returns_its(helper: ast.FunctionDef) -> bool:
    """Return whether a function returns its one argument, and does nothing else."""
    body = [
        each
        for each in helper.body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    match body, helper.args:
        case (
            [ast.Return(value=ast.Name(id=name))],
            ast.arguments(args=[ast.arg(arg=own)], kwonlyargs=[], vararg=None, kwarg=None),
        ):
            return name == own and not helper.decorator_list
    return False


def _passed(helper: ast.FunctionDef) -> ast.Call | None:
    """Return the one call that a helper makes with its parameters and with constants, or None."""
    a = helper.args
    if helper.decorator_list or a.vararg or a.kwarg or a.posonlyargs or a.kwonlyargs:
        return None
    body = [
        each
        for each in helper.body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    match body:
        case [ast.Return(value=ast.Call() as call)]:
            values = [*call.args, *(each.value for each in call.keywords)]
            plain = all(isinstance(each, ast.Name | ast.Constant) for each in values)
            called = ast.unparse(call.func)
            named = all(part.isidentifier() for part in called.split("."))
            names = [each.id for each in values if isinstance(each, ast.Name)]
            whole = plain and named and all(each.arg is not None for each in call.keywords)
            own = {each.arg for each in a.args}
            if whole and len(names) == len(set(names)) and called.partition(".")[0] not in own:
                return call
    return None


class _Arguments(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._given.get(node.id, node))
