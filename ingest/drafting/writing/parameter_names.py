"""Names of a side's parameters: those of the author's test, without the side that they name."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Mapping

from curation.source.functions import is_docstring
from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.writing.renaming import rename_in

OF_A_SIDE = re.compile(
    r"^_*(ref|res|torch|tri|triton|liger|gems|base|cus|naive|attorch|pytorch)_+(?=[A-Za-z])"
    r"|(?<=[A-Za-z0-9])_+(ref|tri|triton|torch|liger|gems|cus|native)$|^_+(?=[A-Za-z])|_+$"
)

# The name of a layer before that of its weight.
OF_A_LAYER = re.compile(r"^\w+_(?=(weight|bias)$)")


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
        # `rms_norm_weight` of the function `rms_norm`.
        layer = f"{name.removeprefix('run_')}_"
        plain = OF_A_LAYER.sub("", plain) if plain.startswith(layer) else plain
        if plain == parameter:
            continue
        longer = {"out": "output", "inp": "input"}.get(plain, "")
        for candidate in (plain, launcher.get(parameter, ""), longer):
            if candidate not in taken and is_usable(candidate):
                moves[parameter] = candidate
                taken.add(candidate)
                break
    if not moves:
        return python, triton
    return _renamed(python, first, moves), _renamed(triton, second, moves)


def is_usable(name: str) -> bool:
    return (
        name.isidentifier()
        and not keyword.iskeyword(name)
        and name not in {"self", "torch", "triton", "tl", "F", "nn", "math"}
        and (name == "input" or not hasattr(builtins, name))
    )


def _function(text: str, name: str) -> ast.FunctionDef | None:
    for node in parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    return None


def _names(function: ast.FunctionDef) -> set[str]:
    return {
        node.id if isinstance(node, ast.Name) else node.arg
        for node in walk(function)
        if isinstance(node, ast.Name | ast.arg)
    }


def _handed(function: ast.FunctionDef, parameters: list[str]) -> dict[str, str]:
    """Return the keywords at which a wrapper hands its parameters over."""
    call = _passed_on(function)
    return {
        each.value.id: each.arg
        for each in (call.keywords if call is not None else ())
        if isinstance(each.value, ast.Name) and each.value.id in parameters and each.arg
    }


def name_locals(text: str, name: str) -> str:
    """Return the text whose function `name` has no variables that tell of a side."""
    try:
        function = _function(text, name)
    except UNREADABLE:
        return text
    if function is None:
        return text
    # A variable of the function's own name would hide it.
    taken = {*_names(function), name, name.removeprefix("run_")}
    parameters = {each.arg for each in function.args.args}
    moves: dict[str, str] = {}
    for node in walk(function):
        if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Load) or node.id in moves:
            continue
        plain = OF_A_SIDE.sub("", OF_A_SIDE.sub("", node.id))
        if plain != node.id and plain in parameters:
            plain = f"new_{plain}"
        if plain != node.id and plain not in taken and is_usable(plain):
            moves[node.id] = plain
            taken.add(plain)
    arguments = {node.arg for node in walk(function) if isinstance(node, ast.arg)}
    edits = Edits(text)
    rename_in(function, {old: new for old, new in moves.items() if old not in arguments}, edits)
    return edits.text()


def _renamed(text: str, function: ast.FunctionDef, moves: Mapping[str, str]) -> str:
    edits = Edits(text)
    rename_in(function, moves, edits)
    for argument in function.args.args:
        if argument.arg in moves:
            start = edits.start(argument)
            edits.replace(start, start + len(argument.arg.encode()), moves[argument.arg])
    match function.body[0]:
        case ast.Expr(value=ast.Constant(value=str()) as docstring):
            written = edits.of(docstring)
            for old, new in moves.items():
                entry = rf"^(\s*){re.escape(old)}(?=\s*[:(])"
                written = re.sub(entry, rf"\g<1>{new}", written, flags=re.M)
            if written != edits.of(docstring):
                edits.put(docstring, written)
    return edits.text()


def read_first(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function reads before it binds them, or may read."""
    read: set[str] = set()
    bound: set[str] = set()
    for statement in function.body:
        names = [node for node in walk(statement) if isinstance(node, ast.Name)]
        read |= {node.id for node in names if not isinstance(node.ctx, ast.Store)} - bound
        if isinstance(statement, ast.Assign):
            bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        else:
            read |= {node.id for node in names} - bound
    return read


def _passed_on(function: ast.FunctionDef) -> ast.Call | None:
    """Return the call of a function that does nothing but return it."""
    body = [each for each in function.body if not is_docstring(each)]
    match body:
        case [ast.Return(value=ast.Call() as call)]:
            return call
        case [
            ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call() as call),
            ast.Return(value=ast.Name(id=returned)),
        ] if bound == returned:
            return call
        case [
            ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call),
            ast.Return(value=ast.Tuple(elts=values)),
        ] if list(map(ast.unparse, targets)) == list(map(ast.unparse, values)):
            return call
    return None
