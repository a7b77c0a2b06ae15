"""Calls and launches of the functions of one text, and what they hand to each parameter."""

from __future__ import annotations

import ast
import functools
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from curation.source.functions import signature
from curation.source.text import Edits, walk
from ingest.drafting.wrappers import MOVABLE

# Decorators that hand every argument on.
HANDING_ON = MOVABLE


def find_calls(tree: ast.Module, name: str) -> list[ast.Call]:
    """Return the calls and launches of a function, or none if it is used in another way."""
    calls, uses = _sites(tree)
    made = calls.get(name, [])
    starred = any(isinstance(each, ast.Starred) for call in made for each in call.args)
    return made if len(made) == uses[name] and not starred else []


@functools.lru_cache(maxsize=4)
def _sites(tree: ast.Module) -> tuple[Mapping[str, list[ast.Call]], Counter[str]]:
    """Return the calls and launches of each name, and the number of its uses."""
    calls: dict[str, list[ast.Call]] = defaultdict(list)
    uses: Counter[str] = Counter()
    for node in walk(tree):
        match node:
            case ast.Name(id=name):
                uses[name] += 1
            case ast.Call(func=ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name))):
                calls[name].append(node)
    return calls, uses


def parameters_of(function: ast.FunctionDef) -> list[ast.arg]:
    """Return the parameters that a call can name, in their order."""
    return [*function.args.args, *function.args.kwonlyargs]


def given_to(call: ast.Call, place: int, name: str) -> ast.expr | ast.keyword | None:
    """Return what a call hands to a parameter."""
    if place < len(call.args):
        return call.args[place]
    return next((each for each in call.keywords if each.arg == name), None)


def drop_parameters(
    function: ast.FunctionDef, names: Collection[str], calls: Sequence[ast.Call], edits: Edits
) -> None:
    """Remove parameters and what the calls give to them."""
    parameters, defaults = parameters_of(function), signature(function.args).defaults
    ends = [
        (edits.start(each), edits.end(defaults.get(each.arg) or each.annotation or each))
        for each in parameters
    ]
    places = [place for place, each in enumerate(parameters) if each.arg in names]
    _cut(ends, places, edits)
    for call in calls:
        given = sorted([*call.args, *call.keywords], key=edits.start)
        gone = [given_to(call, place, parameters[place].arg) for place in places]
        numbers = [n for n, each in enumerate(given) if any(each is other for other in gone)]
        _cut([(edits.start(each), edits.end(each)) for each in given], numbers, edits)


def _cut(ends: Sequence[tuple[int, int]], numbers: Sequence[int], edits: Edits) -> None:
    """Remove elements of a list, each with its comma."""
    kept = [number for number in range(len(ends)) if number not in numbers]
    if not kept:
        if ends:
            edits.replace(ends[0][0], ends[-1][1], "")
        return
    for number in numbers:
        if number > kept[0]:
            edits.replace(ends[number - 1][1], ends[number][1], "")
    if kept[0]:
        edits.replace(ends[0][0], ends[kept[0]][0], "")
