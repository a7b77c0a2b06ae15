"""Launchers that register themselves with torch: called by themselves, they are the same functions,
and need no name that a process knows once.
"""

from __future__ import annotations

import ast

from ingest.drafting.edits import UNREADABLE, Edits

REGISTERS = {"custom_op", "triton_op"}


def remove_registration(text: str) -> str:
    """The module without the decorators that make operations of torch's, where nothing else is
    said of such an operation."""
    if "torch.library" not in text:
        return text
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return text
    used = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    edits = Edits(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name not in used:
            for decorator in filter(_registers, function.decorator_list):
                edits.drop_decorator(decorator)
    return edits.text()


def _registers(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Call(func=ast.Attribute(value=library, attr=attr)):
            return attr in REGISTERS and ast.unparse(library) == "torch.library"
    return False
