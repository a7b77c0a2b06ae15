"""Moves of statements from the inputs of a cut test to its reference and candidate."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from curation.source.functions import loaded_names, stored_names
from ingest.drafting.cutting.slices import (
    ALIASING,
    Cut,
    Statements,
    find_side_inputs,
    in_order,
    still_needed,
)
from ingest.drafting.isolating.devices import is_device
from ingest.drafting.reading.statements import filter_blocks, find_effects, find_free_names


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


def move_functions(
    whole: Cut, is_function: Callable[[ast.expr], bool], local: frozenset[str]
) -> Cut:
    """Move the assignment of a function to the sides that call it, because a function can't be an
    input. Examples are `f = naive`, a lambda, and an inner function.
    """
    for name in whole.parameters:
        binding = [_keep_binding(statement, name) for statement in whole.inputs]
        moved = [statement for statement in binding if statement is not None]
        values = [value for statement in moved for value in _bound_values(statement, name)]
        if not values or not all(value is None or is_function(value) for value in values):
            continue
        needs = frozenset().union(*(find_free_names(statement) for statement in moved)) & local
        place = whole.parameters.index(name)
        fresh = sorted(needs - {*whole.parameters})
        reads = [name in find_side_inputs(*side) for side in _both(whole)]
        rest = [_drop_binding(statement, name) for statement in whole.inputs]
        parameters = (*whole.parameters[:place], *fresh, *whole.parameters[place + 1 :])
        inputs = [statement for statement in rest if statement is not None]
        whole = replace(
            whole,
            inputs=still_needed(inputs, parameters, local),
            reference=(*moved,) * reads[0] + whole.reference,
            candidate=(*moved,) * reads[1] + whole.candidate,
            parameters=parameters,
        )
    return whole


def _bound_values(statement: ast.stmt, name: str) -> Iterator[ast.expr | None]:
    """Yield the values that a statement binds a name to. For a definition, yield None."""
    for node in ast.walk(statement):
        match node:
            case ast.FunctionDef(name=bound) if bound == name:
                yield None
            case ast.Assign(targets=targets, value=value):
                if any(name in stored_names(target) for target in targets):
                    yield value


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


def _keep_binding(statement: ast.stmt, name: str) -> ast.stmt | None:
    """Return only the part of a statement that binds a name, or None if no part does."""
    return filter_blocks(statement, lambda each: name in find_effects(each).binds)


def _drop_binding(statement: ast.stmt, name: str) -> ast.stmt | None:
    """Return a statement without the part that binds a name, or None if no other part is left."""
    return filter_blocks(statement, lambda each: name not in find_effects(each).binds)
