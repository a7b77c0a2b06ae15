"""Removal of branches for absent arguments from helpers and kernels that always get tensors."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from curation.source.text import UNREADABLE, cached, parse, walk
from ingest.drafting.call_sites import find_calls, given_to, parameters_of
from ingest.drafting.called import is_still
from ingest.drafting.folding import TENSOR, fold_function

# Helpers are a few calls deep.
DEEPEST = 8


def fold_helpers(text: str, entry: str, known: Mapping[str, object]) -> str:
    """Return the module whose helpers and kernels lack the branches that tensors exclude, which the
    function `entry` gets in every case and hands on. `known`: what is known of its parameters.
    """
    return _folded(text, entry, frozenset(n for n, kind in known.items() if kind is TENSOR))


@cached
def _folded(text: str, entry: str, given: frozenset[str]) -> str:
    try:
        tensors = _tensors(parse(text), entry, given)
    except UNREADABLE:
        return text
    for name, names in tensors.items():
        if name != entry:
            text = fold_function(text, name, dict.fromkeys(names, TENSOR))
    return text


def _tensors(tree: ast.Module, entry: str, given: frozenset[str]) -> dict[str, set[str]]:
    """Return the parameters of each function that are tensors in every call."""
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    owners = {id(node): each.name for each in functions.values() for node in walk(each)}
    tensors: dict[str, set[str]] = {entry: set(given)}
    for _ in range(DEEPEST):
        before = {name: set(names) for name, names in tensors.items()}
        for name, function in functions.items():
            calls = find_calls(tree, name) if name != entry else []
            if not calls or function.args.posonlyargs or function.args.vararg:
                continue
            for place, parameter in enumerate(parameters_of(function)):
                arguments = [given_to(call, place, parameter.arg) for call in calls]
                places = [owners.get(id(call), "") for call in calls]
                if all(
                    owner and _is_tensor(argument, functions[owner], tensors.get(owner, set()))
                    for argument, owner in zip(arguments, places, strict=True)
                ):
                    tensors.setdefault(name, set()).add(parameter.arg)
        if tensors == before:
            break
    return tensors


def _is_tensor(
    argument: ast.expr | ast.keyword | None, owner: ast.FunctionDef, tensors: set[str]
) -> bool:
    """Return whether an argument is a parameter of its function that holds a tensor there."""
    value = argument.value if isinstance(argument, ast.keyword) else argument
    if not isinstance(value, ast.Name) or value.id not in tensors:
        return False
    nodes = list(walk(owner))
    stores = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    still = [
        node
        for node in nodes
        if isinstance(node, ast.Assign)
        and [ast.unparse(each) for each in node.targets] == [value.id]
        and is_still(node.value, value.id)
    ]
    return len(still) == sum(store.id == value.id for store in stores)
