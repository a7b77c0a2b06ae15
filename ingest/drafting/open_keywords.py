"""Removal of `**kwargs` from helpers to which no call gives a keyword beyond their parameters."""

from __future__ import annotations

import ast

from ingest.drafting.call_sites import HANDING_ON, find_calls, parameters_of
from ingest.drafting.edits import Edits, cached, parse, rewrite, walk
from ingest.drafting.folding import fold_function

ROUNDS = 24


@cached
def drop_open_keywords(text: str, entry: str) -> str:
    """Return the module whose helpers take no keywords that no call gives. `entry` keeps its own.

    Conditions on such a keyword are decided: `"x" in kwargs` is false, `kwargs.get("x", 1)` is 1.
    """
    return rewrite(text, lambda text: _once(text, entry), ROUNDS) if "**" in text else text


def _once(text: str, entry: str) -> str | None:
    tree = parse(text)
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or function.name == entry:
            continue
        decorators = {ast.unparse(each) for each in function.decorator_list}
        if function.args.kwarg is None or function.args.vararg or not decorators <= HANDING_ON:
            continue
        calls = find_calls(tree, function.name)
        named = {each.arg for each in parameters_of(function)}
        if not calls or any(each.arg not in named for call in calls for each in call.keywords):
            continue
        changed = _without(text, function, function.args.kwarg.arg)
        if changed is not None:
            return changed
    return None


def _without(text: str, function: ast.FunctionDef, name: str) -> str | None:
    """Return the text with decided conditions, or without the parameter if nothing reads it."""
    edits = Edits(text)
    settled = 0
    for node in walk(function):
        match node:
            case ast.Compare(
                left=ast.Constant(), ops=[ast.In() | ast.NotIn() as op], comparators=[container]
            ) if _is(container, name):
                edits.put(node, str(isinstance(op, ast.NotIn)))
                settled += 1
            case ast.Call(
                func=ast.Attribute(value=value, attr="get" | "pop" as method),
                args=[ast.Constant(), *default],
                keywords=[],
            ) if _is(value, name) and (default or method == "get"):
                edits.put(node, edits.of(default[0]) if default else "None")
                settled += 1
    if settled:
        changed = fold_function(edits.text(), function.name, {})
        return changed if changed != text else None
    if any(_is(node, name) for node in walk(function)):
        return None
    parameters = parameters_of(function)
    keyword = function.args.kwarg
    if keyword is None or not parameters:
        return None
    ends = [*parameters, *function.args.defaults, *function.args.kw_defaults]
    annotations = [each.annotation for each in parameters]
    before = max(edits.end(each) for each in (*ends, *annotations) if each is not None)
    edits.replace(before, edits.end(keyword.annotation or keyword), "")
    return edits.text()


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
