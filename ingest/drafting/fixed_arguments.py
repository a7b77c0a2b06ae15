"""Removal of parameters of helpers to which every call of a text hands the same constant."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ingest.drafting.edits import UNREADABLE, Edits, cached, parse, walk
from ingest.drafting.folding import fold_function
from ingest.drafting.wrappers import MOVABLE

ROUNDS = 24
# Decorators that hand every argument on.
HANDING_ON = MOVABLE | {"contiguous"}


@cached
def fix_arguments(text: str, entry: str) -> str:
    """Return the module whose helpers lack the parameters that are None, True, False or a
    text in every call, and the branches that these exclude. `entry` keeps its parameters.
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
        function, argument, value, calls = place
        written = _without(text, function, argument, value, calls)
        folded = fold_function(written, function.name, {})
        if re.search(rf"^ +{argument.arg} = {re.escape(ast.unparse(value))}$", folded, re.M):
            left.add((function.name, argument.arg))
        else:
            text = folded
    return text


def _find(
    tree: ast.Module, entry: str, left: set[tuple[str, str]]
) -> tuple[ast.FunctionDef, ast.arg, ast.Constant, list[ast.Call]] | None:
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        if {ast.unparse(each) for each in function.decorator_list} - HANDING_ON:
            continue
        calls = find_calls(tree, function.name)
        if function.name == entry or not calls or _takes_others(function.args):
            continue
        arguments = function.args.args
        for place, argument in enumerate(arguments):
            if (function.name, argument.arg) in left or len(arguments) == 1:
                continue
            value = _value_in_each(calls, function, place)
            if value is not None:
                return function, argument, value, calls
    return None


def _takes_others(arguments: ast.arguments) -> bool:
    """Return whether a function has parameters of other kinds than plain ones."""
    return bool(arguments.vararg or arguments.kwarg or arguments.posonlyargs)


def _value_in_each(
    calls: Sequence[ast.Call], function: ast.FunctionDef, place: int
) -> ast.Constant | None:
    """Return the None, True, False or text that a parameter has in every call, if it has one."""
    arguments = function.args
    first = len(arguments.args) - len(arguments.defaults)
    default = arguments.defaults[place - first] if place >= first else None
    values: dict[str, ast.Constant] = {}
    for call in calls:
        if any(each.arg is None for each in call.keywords):
            return None
        given = given_to(call, place, arguments.args[place].arg)
        value = given.value if isinstance(given, ast.keyword) else given or default
        if not isinstance(value, ast.Constant) or not isinstance(value.value, bool | str | None):
            return None
        values[repr(value.value)] = value
    return next(iter(values.values())) if len(values) == 1 else None


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


def _without(
    text: str,
    function: ast.FunctionDef,
    argument: ast.arg,
    value: ast.Constant,
    calls: Sequence[ast.Call],
) -> str:
    """Return the text whose function assigns the value in place of taking a parameter."""
    edits = Edits(text)
    drop_parameter(function, function.args.args.index(argument), calls, edits)
    body = function.body
    docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    start = body[1] if docstring and len(body) > 1 else body[0]
    margin = " " * start.col_offset
    edits.replace(
        edits.start(start), edits.start(start), f"{argument.arg} = {ast.unparse(value)}\n{margin}"
    )
    return edits.text()


def drop_parameter(
    function: ast.FunctionDef, place: int, calls: Sequence[ast.Call], edits: Edits
) -> None:
    """Remove a parameter and what the calls give to it."""
    a = function.args
    first = len(a.args) - len(a.defaults)
    ends: list[tuple[int, int]] = []
    for number, each in enumerate(a.args):
        last = a.defaults[number - first] if number >= first else (each.annotation or each)
        ends.append((edits.start(each), edits.end(last)))
    _cut(ends, place, edits)
    for call in calls:
        given = sorted([*call.args, *call.keywords], key=edits.start)
        gone = given_to(call, place, a.args[place].arg)
        if gone is not None:
            number = next(n for n, each in enumerate(given) if each is gone)
            _cut([(edits.start(each), edits.end(each)) for each in given], number, edits)


def given_to(call: ast.Call, place: int, name: str) -> ast.expr | ast.keyword | None:
    """Return what a call hands to a parameter."""
    if place < len(call.args):
        return call.args[place]
    return next((each for each in call.keywords if each.arg == name), None)


def _cut(ends: Sequence[tuple[int, int]], number: int, edits: Edits) -> None:
    """Remove one element of a list, with its comma."""
    start, end = ends[number]
    if number:
        edits.replace(ends[number - 1][1], end, "")
    elif len(ends) > 1:
        edits.replace(start, ends[1][0], "")
    else:
        edits.replace(start, end, "")
