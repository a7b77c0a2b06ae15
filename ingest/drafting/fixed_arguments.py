"""Removal of parameters to which every call, or launch, of a text hands the same constant."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from curation.source.functions import signature
from curation.source.text import UNREADABLE, Edits, cached, parse
from ingest.drafting.call_sites import drop_parameters, find_calls, given_to, parameters_of
from ingest.drafting.folding import fold_function
from ingest.drafting.kernel_parameters import (
    drop_names,
    find_named,
    is_constant,
    is_kernel,
    takes_arguments_as_given,
    without_idle_names,
)

ROUNDS = 80


@cached
def fix_arguments(text: str, entry: str) -> str:
    """Return the module whose helpers and kernels lack the parameters that are None, True, False or
    a text in every call, and the branches that these exclude. `entry` keeps its parameters.
    """
    left: set[tuple[str, str]] = set()
    for _ in range(ROUNDS):
        try:
            text = _without_defaults(text)
            place = _find(parse(text), entry, left)
        except UNREADABLE:
            return text
        if place is None:
            return text
        function, values, calls = place
        folded = fold_function(_without(text, function, values, calls), function.name, {})
        kept = {
            (function.name, name)
            for name, value in values.items()
            if re.search(rf"^ +{name} = {re.escape(ast.unparse(value))}$", folded, re.M)
        }
        left |= kept
        if not kept:
            text = without_idle_names(folded, function.name) if is_kernel(function) else folded
    return text


def _find(
    tree: ast.Module, entry: str, left: set[tuple[str, str]]
) -> tuple[ast.FunctionDef, dict[str, ast.Constant], list[ast.Call]] | None:
    """Return a function, its parameters that may go with their values, and its calls."""
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or function.name == entry:
            continue
        calls = find_calls(tree, function.name)
        if not calls or not takes_arguments_as_given(function):
            continue
        parameters = parameters_of(function)
        values = {}
        for place, parameter in enumerate(parameters):
            value = _value_in_each(calls, function, place)
            if value is not None and (function.name, parameter.arg) not in left:
                values[parameter.arg] = value
        if values and is_kernel(function):
            named = find_named(tree, function)
            # A truth value that is no constant of the kernel is a tensor in it.
            plain = {each.arg for each in parameters if not is_constant(each)}
            values = {
                name: value
                for name, value in values.items()
                if name not in named and (value.value is None or name not in plain)
            }
        if values and len(values) == len(parameters):
            values.popitem()
        if values:
            return function, values, calls
    return None


def _value_in_each(
    calls: Sequence[ast.Call], function: ast.FunctionDef, place: int
) -> ast.Constant | None:
    """Return the None, True, False or text that a parameter has in every call, if it has one."""
    name = parameters_of(function)[place].arg
    default = signature(function.args).defaults.get(name)
    values: dict[str, ast.Constant] = {}
    for call in calls:
        if any(each.arg is None for each in call.keywords):
            return None
        given = given_to(call, place, name)
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


def _without(
    text: str,
    function: ast.FunctionDef,
    values: Mapping[str, ast.Constant],
    calls: Sequence[ast.Call],
) -> str:
    """Return the text whose function assigns the values in place of taking parameters."""
    edits = Edits(text)
    drop_parameters(function, values, calls, edits)
    drop_names(function, values, edits)
    body = function.body
    docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    start = body[1] if docstring and len(body) > 1 else body[0]
    margin = "\n" + " " * start.col_offset
    assigned = "".join(f"{name} = {ast.unparse(value)}{margin}" for name, value in values.items())
    edits.replace(edits.start(start), edits.start(start), assigned)
    return edits.text()
