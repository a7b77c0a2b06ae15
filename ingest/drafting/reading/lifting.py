"""Lifting of imports from functions to the end of their file.

Authors import in functions to avoid circular imports. A standalone module has no circular imports.
"""

from __future__ import annotations

import ast
import re

from curation.source.text import UNREADABLE
from ingest.extract.imports import may_remain

INNER = re.compile(rb"^[ \t]+(from [\w.]+ )?import ", re.M)


def lift_imports(data: bytes, sure: frozenset[str] = frozenset()) -> bytes:
    """Lift the imports of a file without changing its line numbers. `sure`: modules whose import
    can't fail, so that it is lifted even out of a `try`.
    """
    if not INNER.search(data):
        return data
    try:
        tree = ast.parse(data)
        imports = _inner(tree, sure)
    except UNREADABLE:
        return data
    if not imports:
        return data
    taken = {name for node in tree.body for name in bound_names(node)}
    there = {each for node in tree.body for each in _imported(node)}
    lines = data.split(b"\n")
    end: dict[bytes, None] = {}
    changed = False
    for node in imports:
        names = bound_names(node)
        text = ast.unparse(node).encode()
        bound = _imported(node)
        again = bool(bound) and there.issuperset(bound)
        if "*" in names or (taken & {*names} and text not in end and not again):
            continue
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        margin = lines[first][: node.col_offset]
        if margin.strip():
            continue
        lines[first] = margin + b"pass"
        lines[first + 1 : last + 1] = [b""] * (last - first)
        changed = True
        if not again:
            end[text] = None
            taken |= {*names}
    return b"\n".join([*lines, *end, b""]) if changed else data


Imports = ast.Import | ast.ImportFrom


def _inner(tree: ast.Module, sure: frozenset[str]) -> list[Imports]:
    """Return the imports in functions that are lifted: `from … import …` statements that can't
    fail, and all imports of a test, because its statements are divided among several functions.
    """
    imports: list[Imports] = []
    pending: list[tuple[ast.AST, bool, bool]] = [(node, False, False) for node in tree.body]
    while pending:
        node, walk_body, tried = pending.pop()
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            imports += [each for each in node.body if isinstance(each, Imports)]
        if isinstance(node, ast.ImportFrom) and walk_body and node not in imports:
            foreign = bool(node.level) or not may_remain(node.module or "")
            if foreign and (not tried or node.module in sure):
                imports.append(node)
            continue
        walk_body |= isinstance(node, ast.FunctionDef)
        tried |= isinstance(node, ast.Try)
        pending.extend(
            (child, walk_body, tried)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.stmt)
        )
    return sorted(imports, key=lambda node: node.lineno)


def _imported(node: ast.stmt) -> list[tuple[str, str, str]]:
    """Return for each name that an import binds the module, the name in it, and the bound name."""
    match node:
        case ast.ImportFrom(module=str(module), names=names, level=0):
            return [(module, alias.name, alias.asname or alias.name) for alias in names]
        case ast.Import(names=names):
            return [(alias.name, "", alias.asname or alias.name) for alias in names]
    return []


def bound_names(node: ast.stmt) -> list[str]:
    """Return the names that a statement at the top level of a module binds."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name.partition(".")[0] for alias in names]
    return []
