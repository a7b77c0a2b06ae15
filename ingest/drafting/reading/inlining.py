"""Inlining of helpers that contain the body of a test."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping

from curation.source.functions import loaded_names, signature, stored_names
from ingest.drafting.reading.statements import COMPARING, mark_written, written_names

DEEPEST = 3

Lookup = Callable[[str], "ast.expr | ast.FunctionDef | None"]


def inline_helpers(function: ast.FunctionDef, lookup: Lookup, depth: int = 0) -> ast.FunctionDef:
    """Return the function with calls of comparing helpers replaced by the bodies of these helpers.
    A helper may be defined inside the test.
    """
    body: list[ast.stmt] = []
    inner = {each.name: each for each in function.body if isinstance(each, ast.FunctionDef)}
    for statement in _split_all(function.body):
        helper = _helper(statement, inner, lookup) if depth < DEEPEST else None
        written = _written(statement, helper) if helper is not None else None
        if helper is None or written is None:
            body.append(statement)
            continue
        part = ast.FunctionDef(**{**vars(helper), "body": written})
        body += inline_helpers(part, lambda name: inner.get(name) or lookup(name), depth + 1).body
    if body == function.body:
        return function
    return ast.FunctionDef(**{**vars(function), "body": body})


def _split_all(body: list[ast.stmt]) -> list[ast.stmt]:
    return [part for statement in body for part in _parts(statement)]


def _parts(statement: ast.stmt) -> list[ast.stmt]:
    """Split `a, b = f(x), g(x)` into two statements, as only one may launch a kernel."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            bound = stored_names(statement)
            plain = all(isinstance(t, ast.Name | ast.Attribute) for t in targets)
            if plain and len(targets) == len(values) and not bound & loaded_names(statement.value):
                pairs = zip(targets, values, strict=True)
                return [ast.copy_location(ast.Assign([t], v), statement) for t, v in pairs]
    return [statement]


def _helper(
    statement: ast.stmt, inner: Mapping[str, ast.FunctionDef], lookup: Lookup
) -> ast.FunctionDef | None:
    call = _call(statement)
    if call is None or not isinstance(call.func, ast.Name):
        return None
    found = inner.get(call.func.id) or lookup(call.func.id)
    return found if isinstance(found, ast.FunctionDef) else None


def _call(statement: ast.stmt) -> ast.Call | None:
    """Return the call in a statement that consists only of a call, or None."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value if isinstance(value, ast.Call) else None


def _written(statement: ast.stmt, helper: ast.FunctionDef) -> list[ast.stmt] | None:
    call, a = _call(statement), helper.args
    if call is None or a.vararg or a.kwarg:
        return None
    takes = signature(a)
    given, values = takes.given(call), takes.bind(call)
    if values is None or not _compares(helper):
        return None
    assigned: list[ast.stmt] = []
    bound = frozenset().union(*(stored_names(each) for each in helper.body))
    renamed: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, ast.Name) and value.id == name:
            continue
        if isinstance(value, ast.Name) and name in given and not {name, value.id} & bound:
            renamed[name] = value.id
            continue
        target = ast.Name(name, ast.Store())
        assigned.append(ast.Assign([target], copy.deepcopy(value), lineno=statement.lineno))
    rename = _Rename(renamed)
    body = [rename.visit(copy.deepcopy(each)) for each in helper.body]
    return [
        *(ast.fix_missing_locations(one) for one in assigned),
        *(each for each in body if isinstance(each, ast.stmt)),
    ]


class _Rename(ast.NodeTransformer):
    """Renaming of a helper's parameters to the variables that a call passes."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit(self, node: ast.AST) -> ast.AST:
        written = written_names(node)
        if written:
            mark_written(node, frozenset(self._names.get(name, name) for name in written))
        made: ast.AST = super().visit(node)
        return made

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._names.get(node.id, node.id)
        return node


def _compares(helper: ast.FunctionDef) -> bool:
    """Return whether a helper contains a comparison. Other helpers are not inlined. A helper that
    only measures the error of its arguments is not either: its call is the comparison.
    """
    from ingest.drafting.reading.comparisons import find_comparisons, is_named_comparison

    bound = frozenset().union(*(stored_names(statement) for statement in helper.body))
    found = list(find_comparisons(helper.body)) if bound else []
    if COMPARING.search(helper.name):
        return any(is_named_comparison(each) for each in found)
    return bool(found)
