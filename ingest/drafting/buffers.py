"""Allocation of result buffers in the launcher, where a test hands them over as inputs."""

from __future__ import annotations

import ast

from curation.source.text import Edits, walk
from ingest.drafting.shared_inputs import SharedInputs, SharedTexts, Side

RANDOM = {"normal_", "uniform_"}
ALLOCATING = {"empty", "zeros", "randn", "rand", "ones"}
ATTRIBUTES = {"dtype", "shape", "device", "ndim"}


def allocate_buffer(
    parameter: str, inputs: SharedInputs, python: Side, triton: Side, texts: SharedTexts
) -> SharedTexts | None:
    """Allocate a buffer in the launcher if the reference does not read its values. A buffer of
    random numbers is one, too: the compared results do not depend on these.
    """
    inner = inputs.handed[parameter]
    value = inputs.values().get(inner)
    copies = [
        statement
        for statement in triton.function.body
        if ast.unparse(statement) == f"{parameter} = {parameter}.clone()"
    ]
    if value is None or len(copies) != 1 or not _reads_attributes(python, parameter):
        return None
    if inputs.changes(inner) or not python.is_plain(parameter):
        return None
    like = _like(inner, value, inputs)
    if like is None:
        return None
    owner, function = like
    tensor = inputs.names.get(owner)
    if tensor is None or not triton.is_plain(tensor) or not python.is_plain(tensor):
        return None
    edits = Edits(triton.text)
    edits.put(copies[0], f"{parameter} = torch.{function}({tensor})")
    changed = python.replaced(parameter, tensor)
    return SharedTexts(changed, edits.text(), texts.test)


def _reads_attributes(side: Side, name: str) -> bool:
    """Return whether a side reads no more of a tensor than its type or its shape."""
    owners = {
        id(node.value)
        for node in walk(side.function)
        if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES
    }
    return all(id(node) in owners for node in side.names(name))


def _like(name: str, value: ast.expr, inputs: SharedInputs) -> tuple[str, str] | None:
    """Return the tensor that a new one is like in shape and type, and the function for it."""
    filled = "empty_like"
    while (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in RANDOM
    ):
        value = value.func.value
    match value:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Name(id="torch"), attr="empty_like" | "zeros_like" as function
            ),
            args=[ast.Name(id=owner)],
            keywords=[],
        ):
            return owner, function
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch"), attr="empty" | "zeros" as function)
        ):
            filled = f"{function}_like"
        case _:
            return None
    kind = _kind(value)
    stores = inputs.stores()
    for owner, other in inputs.values().items():
        if owner == name or owner not in inputs.names or stores[owner] != 1:
            continue
        while (
            isinstance(other, ast.Call)
            and isinstance(other.func, ast.Attribute)
            and other.func.attr in RANDOM
        ):
            other = other.func.value
        if kind is not None and _kind(other) == kind:
            return owner, filled
    return None


def _kind(value: ast.expr) -> tuple[str, ...] | None:
    """Return the shape and the type of a new tensor, as written."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=args, keywords=keywords
        ) if attr in ALLOCATING:
            sizes = args[0].elts if len(args) == 1 and isinstance(args[0], ast.Tuple) else args
            if {each.arg for each in keywords} <= {"dtype"}:
                return (*map(ast.unparse, sizes), *(ast.unparse(each) for each in keywords))
    return None
