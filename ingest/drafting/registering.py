"""Removal of decorators that register a launcher with torch.

The plain function computes the same, and a process can register a name only once.
"""

from __future__ import annotations

import ast

from curation.source.text import UNREADABLE, Edits

REGISTERS = {"custom_op", "triton_op"}


def remove_registration(text: str) -> str:
    """Return the module without registering decorators, except for operations that the module
    configures further.
    """
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
