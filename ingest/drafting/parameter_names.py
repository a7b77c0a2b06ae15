"""Names of a side's parameters: those of the author's test, without the side that they name."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Mapping

from ingest.drafting.edits import UNREADABLE, Edits
from ingest.drafting.wrappers import passed_on, rename_in

OF_A_SIDE = re.compile(
    r"^_*(ref|res|torch|tri|triton|liger|gems|base|cus|naive)_+(?=[A-Za-z])"
    r"|(?<=[A-Za-z0-9])_+(ref|tri|triton|torch|liger|gems|cus|native)$|^_+(?=[A-Za-z])|_+$"
)


def name_parameters(python: str, triton: str, name: str) -> tuple[str, str]:
    """Return both texts with parameters of the function `name` that do not tell of a side. Both
    sides keep the same names.
    """
    try:
        sides = [_function(python, name), _function(triton, name)]
    except UNREADABLE:
        return python, triton
    first, second = sides
    if first is None or second is None:
        return python, triton
    parameters = [each.arg for each in first.args.args]
    if parameters != [each.arg for each in second.args.args]:
        return python, triton
    taken = {*parameters, *_names(first), *_names(second)}
    launcher = _handed(second, parameters)
    moves: dict[str, str] = {}
    for parameter in parameters:
        plain = OF_A_SIDE.sub("", OF_A_SIDE.sub("", parameter))
        if plain == parameter:
            continue
        longer = {"out": "output", "inp": "input"}.get(plain, "")
        for candidate in (plain, launcher.get(parameter, ""), longer):
            if candidate not in taken and _is_usable(candidate):
                moves[parameter] = candidate
                taken.add(candidate)
                break
    if not moves:
        return python, triton
    return _renamed(python, first, moves), _renamed(triton, second, moves)


def _is_usable(name: str) -> bool:
    return (
        name.isidentifier()
        and not keyword.iskeyword(name)
        and name not in {"self", "torch", "triton", "tl", "F", "nn", "math"}
        and (name == "input" or not hasattr(builtins, name))
    )


def _function(text: str, name: str) -> ast.FunctionDef | None:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    return None


def _names(function: ast.FunctionDef) -> set[str]:
    return {
        node.id if isinstance(node, ast.Name) else node.arg
        for node in ast.walk(function)
        if isinstance(node, ast.Name | ast.arg)
    }


def _handed(function: ast.FunctionDef, parameters: list[str]) -> dict[str, str]:
    """Return the keywords at which a wrapper hands its parameters over."""
    call = passed_on(function)
    return {
        each.value.id: each.arg
        for each in (call.keywords if call is not None else ())
        if isinstance(each.value, ast.Name) and each.value.id in parameters and each.arg
    }


def _renamed(text: str, function: ast.FunctionDef, moves: Mapping[str, str]) -> str:
    edits = Edits(text)
    rename_in(function, moves, edits)
    for argument in function.args.args:
        if argument.arg in moves:
            start = edits.start(argument)
            edits.replace(start, start + len(argument.arg.encode()), moves[argument.arg])
    return edits.text()
