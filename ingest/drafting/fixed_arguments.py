"""Removal of parameters of helpers that no call of a text gives."""

from __future__ import annotations

import ast
import re

from ingest.drafting.edits import UNREADABLE, Edits, cached, parse, walk
from ingest.drafting.folding import fold_function
from ingest.drafting.wrappers import MOVABLE

ROUNDS = 24
# Decorators that hand every argument on.
HANDING_ON = MOVABLE | {"contiguous"}


@cached
def fix_arguments(text: str, entry: str) -> str:
    """Return the module whose helpers lack the parameters that are None, True or False in every
    call, and the branches that these exclude. `entry` keeps its parameters.
    """
    left: set[tuple[str, str]] = set()
    for _ in range(ROUNDS):
        try:
            text = _without_defaults(text)
            tree = parse(text)
        except UNREADABLE:
            return text
        place = _find(tree, entry, left)
        if place is None:
            return text
        function, argument, default = place
        written = _without(text, function, argument, default)
        folded = fold_function(written, function.name, {})
        if re.search(rf"^ +{argument.arg} = {ast.unparse(default)}$", folded, re.M):
            left.add((function.name, argument.arg))
        else:
            text = folded
    return text


def _find(
    tree: ast.Module, entry: str, left: set[tuple[str, str]]
) -> tuple[ast.FunctionDef, ast.arg, ast.Constant] | None:
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        if {ast.unparse(each) for each in function.decorator_list} - HANDING_ON:
            continue
        calls = find_calls(tree, function.name)
        if function.name == entry or not calls or function.args.vararg or function.args.kwarg:
            continue
        arguments = function.args.args
        first = len(arguments) - len(function.args.defaults)
        for place, default in enumerate(function.args.defaults, first):
            argument = arguments[place]
            given = any(
                len(call.args) > place or any(k.arg in {None, argument.arg} for k in call.keywords)
                for call in calls
            )
            # A later argument that is given by its place would move.
            moved = any(len(call.args) > place for call in calls)
            plain = isinstance(default, ast.Constant) and isinstance(default.value, bool | None)
            if given or moved or not plain or place == 0 or (function.name, argument.arg) in left:
                continue
            if isinstance(default, ast.Constant):
                return function, argument, default
    return None


def _without_defaults(text: str) -> str:
    """Return the text whose calls of helpers do not hand over None, True or False where that is the
    default, by keyword or as the last argument. Each round drops a single last argument.
    """
    tree = parse(text)
    edits = Edits(text)
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or not function.args.defaults:
            continue
        a = function.args
        named = a.args[len(a.args) - len(a.defaults) :]
        defaults = {
            each.arg: default.value
            for each, default in zip(named, a.defaults, strict=True)
            if isinstance(default, ast.Constant) and isinstance(default.value, bool | None)
        }
        places = [each.arg for each in a.args]
        for call in find_calls(tree, function.name) if defaults else ():
            last = call.args[-1] if call.args and not call.keywords else None
            name = places[len(call.args) - 1] if len(call.args) <= len(places) else ""
            if (
                len(call.args) > 1
                and isinstance(last, ast.Constant)
                and name in defaults
                and last.value is defaults[name]
            ):
                edits.drop_among(call.args, [last])
                return edits.text()
            dropped = [
                each
                for each in call.keywords
                if each.arg in defaults
                and isinstance(each.value, ast.Constant)
                and each.value.value is defaults[each.arg]
            ]
            if dropped and not (len(dropped) == len(call.keywords) and not call.args):
                edits.drop_among([*call.args, *call.keywords], dropped)
    return edits.text()


def find_calls(tree: ast.Module, name: str) -> list[ast.Call]:
    """Return the calls of a function, or none if it is used in another way."""
    uses = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == name]
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and n.func in uses]
    starred = any(isinstance(each, ast.Starred) for call in calls for each in call.args)
    return calls if len(calls) == len(uses) and not starred else []


def _without(text: str, function: ast.FunctionDef, argument: ast.arg, default: ast.Constant) -> str:
    """Return the text whose function assigns the default in place of taking a parameter."""
    edits = Edits(text)
    arguments = function.args.args
    place = arguments.index(argument)
    before = place - 1 - (len(arguments) - len(function.args.defaults))
    previous = function.args.defaults[before] if before >= 0 else arguments[place - 1]
    edits.replace(edits.end(previous), edits.end(default), "")
    body = function.body
    docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    start = body[1] if docstring and len(body) > 1 else body[0]
    margin = " " * start.col_offset
    edits.replace(
        edits.start(start), edits.start(start), f"{argument.arg} = {ast.unparse(default)}\n{margin}"
    )
    return edits.text()
