"""Moves of statements from the inputs of a cut test to its reference and candidate."""

from __future__ import annotations

import ast
from dataclasses import replace

from curation.source.functions import loaded_names
from ingest.drafting.cutting.slices import (
    ALIASING,
    Cut,
    Statements,
    find_side_inputs,
    in_order,
)
from ingest.drafting.isolating.devices import is_device
from ingest.drafting.reading.statements import find_effects


def move_copies(whole: Cut) -> Cut:
    """Move statements that only copy an input to the sides that use the copy. Otherwise a checker
    that varies one of two equal inputs makes the sides differ. A list that only one side appends to
    is moved too.
    """
    later: set[str] = set()
    for statement in reversed(whole.inputs):
        effect = find_effects(statement)
        originals = _copied_names(statement)
        (name,) = effect.binds if len(effect.binds) == 1 else ("",)
        others = (find_effects(one) for one in whole.inputs if one is not statement)
        again = any(name in one.binds | one.changes for one in others)
        movable = bool(originals) or _is_empty_list(statement)
        if movable and name in whole.parameters and not again and not originals & later:
            whole = _move_copy(whole, statement, name, originals)
        later |= effect.binds | effect.changes
    return whole


def _move_copy(whole: Cut, statement: ast.stmt, name: str, originals: frozenset[str]) -> Cut:
    place = whole.parameters.index(name)
    fresh = [each for each in in_order(statement) if each in originals - {*whole.parameters}]
    reads = [name in find_side_inputs(*side) for side in _both(whole)]
    return replace(
        whole,
        reference=(statement,) * reads[0] + whole.reference,
        candidate=(statement,) * reads[1] + whole.candidate,
        parameters=(
            *whole.parameters[:place],
            *dict.fromkeys(fresh),
            *whole.parameters[place + 1 :],
        ),
    )


def _both(whole: Cut) -> list[tuple[Statements, tuple[ast.expr, ...]]]:
    return [(whole.reference, whole.expected), (whole.candidate, whole.actual)]


def _is_empty_list(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.List(elts=[])):
            return True
    return False


def _copied_names(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement copies if it does nothing else: `a = b.clone()`, `a = None
    if b is None else b.clone()`, `a = [x.clone() for x in (b, c)]`.
    """
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            found = _names_copied_by(value)
            return frozenset() if name in found else found
    return frozenset()


def _names_copied_by(value: ast.expr) -> frozenset[str]:
    match value:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            parts = [part for part in (body, orelse) if not isinstance(part, ast.Constant)]
            found = frozenset().union(*map(_names_copied_by, parts))
            return (
                found
                if all(map(_names_copied_by, parts)) and loaded_names(test) <= found
                else frozenset()
            )
        case ast.ListComp(
            elt=elt,
            generators=[ast.comprehension(target=ast.Name(id=each), iter=iterated, ifs=[])],
        ):
            names = iterated.elts if isinstance(iterated, ast.List | ast.Tuple) else []
            plain = all(isinstance(one, ast.Name) for one in names)
            return (
                loaded_names(iterated) if plain and _names_copied_by(elt) == {each} else frozenset()
            )
    name = copied_name(value)
    return frozenset({name}) if name else frozenset()


def copied_name(value: ast.expr) -> str:
    """Return `x` for `x`, `x.clone()` or `x.detach().clone().to(device)`, and "" for others."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        moves = value.func.attr == "cuda" and not value.args
        if value.func.attr == "to" and len(value.args) == 1 and not value.keywords:
            target = value.args[0]
            moves = ast.unparse(target) == "device" or is_device(target, frozenset())
        if not moves and value.func.attr not in ALIASING:
            return ""
        value = value.func.value
    return value.id if isinstance(value, ast.Name) else ""
