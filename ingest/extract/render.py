"""Rendering of a closure as one module.

Imports come first, then the statements of each file, in the file's order and formatting. A file
comes before the files that use it, so the kernel's file is last.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from tree_sitter import Node

from ingest.extract.closure import Closure, Piece
from ingest.extract.naming import Names, assign_names
from ingest.extract.outline import branches_of, compound_at
from ingest.extract.syntax import captures
from ingest.extract.targets import External, Local, Resolution

TRAILING_COMMENT = re.compile(rb"[ \t]*#[^\n]*")
SPACE = re.compile(rb"\s*")
INDENT = "    "

Edit = tuple[int, int, bytes]
ScopeId = tuple[str, int]


def render(closure: Closure) -> tuple[str, tuple[str, ...]]:
    """Return the text of the module, and notes on changed names."""
    names, renamed = assign_names(closure)
    by_scope: defaultdict[ScopeId, list[Piece]] = defaultdict(list)
    for piece in closure.pieces.values():
        by_scope[piece.module.path, piece.scope.start].append(piece)
    blocks: list[tuple[str, bool]] = []
    for scope in _scope_order(closure):
        pieces = sorted(by_scope[scope], key=lambda piece: piece.node.start_byte)
        blocks.extend(_blocks(closure, names, pieces, 0))
    head = _imports(closure, names)
    body = _joined(blocks)
    return f"{head}\n\n\n{body}\n" if head else f"{body}\n", renamed


def _scope_order(closure: Closure) -> list[ScopeId]:
    """Return the scopes in import order: a scope comes after the scopes that it needs."""
    needs: defaultdict[ScopeId, dict[ScopeId, None]] = defaultdict(dict)
    for piece in closure.pieces.values():
        scope_id = (piece.module.path, piece.scope.start)
        for resolution in (piece.resolution, *closure.headers_of(piece)):
            for key, _ in resolution.spellings:
                if isinstance(key, Local) and (key.path, key.scope) != scope_id:
                    needs[scope_id][key.path, key.scope] = None
    last = (closure.target.module.path, closure.target.scope.start)
    order: dict[ScopeId, None] = {}
    entered = {last}
    stack = [(last, iter(sorted(needs[last])))]
    while stack:
        scope, remaining = stack[-1]
        next_scope = next((other for other in remaining if other not in entered), None)
        if next_scope is None:
            order[scope] = None
            stack.pop()
        else:
            entered.add(next_scope)
            stack.append((next_scope, iter(sorted(needs[next_scope]))))
    return list(order)


def _blocks(
    closure: Closure, names: Names, pieces: Sequence[Piece], depth: int
) -> list[tuple[str, bool]]:
    """Return pieces as text, each with whether it is a definition. Rebuild compound statements."""
    blocks: list[tuple[str, bool]] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if len(piece.clauses) <= depth:
            definition = piece.leaf is None or piece.leaf.is_definition
            blocks.append((_statement(names, piece, depth), definition))
            index += 1
            continue
        compound = piece.clauses[depth].compound
        last = index
        while last < len(pieces) and _stands_in(pieces[last], depth, compound):
            last += 1
        blocks.append((_compound(closure, names, pieces[index:last], depth), True))
        index = last
    return blocks


def _stands_in(piece: Piece, depth: int, compound: int) -> bool:
    return len(piece.clauses) > depth and piece.clauses[depth].compound == compound


def _compound(closure: Closure, names: Names, pieces: Sequence[Piece], depth: int) -> str:
    first = pieces[0]
    start = first.clauses[depth].compound
    source = first.module.source
    node = compound_at(source, start)
    resolution = closure.headers.get((first.module.path, start), Resolution())
    lines: list[str] = []
    for _, clause in branches_of(source, node) if node is not None else ():
        branch = [piece for piece in pieces if piece.clauses[depth].index == clause.index]
        if not branch and clause.kind in {"else", "elif", "finally"}:
            later = [p for p in pieces if p.clauses[depth].index > clause.index]
            if not later:
                continue
        edits = _renames(names, resolution, clause.start, clause.header_end)
        header = _edited(source.data, clause.start, clause.header_end, edits).strip()
        lines.append(INDENT * depth + header)
        if branch:
            lines.append(_joined(_blocks(closure, names, branch, depth + 1), tight=True))
        else:
            lines.append(INDENT * (depth + 1) + "pass")
    return "\n".join(lines)


def _statement(names: Names, piece: Piece, depth: int) -> str:
    if piece.leaf is not None and piece.leaf.imports:
        return "\n".join(
            INDENT * depth
            + _import_line(
                imported.module,
                imported.attribute,
                names[Local(piece.module.path, piece.scope.start, imported.name)],
                imported.binds_root,
            )
            for imported in piece.leaf.imports
        )
    data = piece.module.source.data
    start = _with_comments_above(data, piece.node)
    end = piece.node.end_byte
    if comment := TRAILING_COMMENT.match(data, end):
        end = comment.end()
    line_start = data.rfind(b"\n", 0, piece.node.start_byte) + 1
    margin = len(data[line_start : piece.node.start_byte])
    edits = _renames(names, piece.resolution, start, end)
    edits += [(a, SPACE.match(data, b).end(), b"") for a, b in piece.resolution.dropped]  # type: ignore[union-attr]
    if margin or depth:
        edits += _shift(data, piece.node, start, end, margin, (INDENT * depth).encode())
    return INDENT * depth + _edited(data, start, end, edits)


def _with_comments_above(data: bytes, node: Node) -> int:
    """Return the start of the comments directly above a statement, with the same indentation."""
    start, row = node.start_byte, node.start_point.row
    comment = node.prev_named_sibling
    while comment is not None and comment.type == "comment" and comment.end_point.row == row - 1:
        line = data[data.rfind(b"\n", 0, comment.start_byte) + 1 : comment.start_byte]
        if line.strip() or comment.start_point.column != node.start_point.column:
            break
        start, row = comment.start_byte, comment.start_point.row
        comment = comment.prev_named_sibling
    return start


def _shift(data: bytes, node: Node, start: int, end: int, margin: int, indent: bytes) -> list[Edit]:
    """Return edits that change the indentation of the lines after the first, except in strings."""
    strings = [
        (string.start_byte, string.end_byte)
        for string in captures("(string) @string", node).get("string", ())
        if string.start_point.row != string.end_point.row and not _is_docstring(string)
    ]
    edits: list[Edit] = []
    newline = data.find(b"\n", start, end)
    while newline != -1:
        line = newline + 1
        newline = data.find(b"\n", line, end)
        if data[line : line + 1] == b"\n" or any(a < line < b for a, b in strings):
            continue
        space = line
        while space < min(line + margin, end) and data[space : space + 1] in b" \t\f":
            space += 1
        edits.append((line, space, indent))
    return edits


def _is_docstring(string: Node) -> bool:
    return string.parent is not None and string.parent.type == "expression_statement"


def _renames(names: Names, resolution: Resolution, start: int, end: int) -> list[Edit]:
    if all(names[key] == spelled for key, spelled in resolution.spellings):
        return []
    return [
        (use.start, use.end, names[use.key].encode("utf-8"))
        for use in resolution.uses
        if start <= use.start < end and names[use.key] != use.spelled
    ]


def _edited(data: bytes, start: int, end: int, edits: list[Edit]) -> str:
    parts: list[bytes] = []
    at = start
    for first, last, replacement in sorted(set(edits)):
        if first < at:
            continue
        parts += [data[at:first], replacement]
        at = last
    parts.append(data[at:end])
    return b"".join(parts).decode("utf-8")


def _joined(blocks: Sequence[tuple[str, bool]], tight: bool = False) -> str:
    text = ""
    for index, (block, definition) in enumerate(blocks):
        if index:
            wide = definition or blocks[index - 1][1]
            text += ("\n\n" if tight else "\n\n\n") if wide else "\n"
        text += block
    return text


def _imports(closure: Closure, names: Names) -> str:
    plain: dict[str, None] = {}
    members: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for key, name in names.items():
        if not isinstance(key, External):
            continue
        if key.attribute is None:
            plain[_import_line(key.module, None, name, key.module == name)] = None
        else:
            alias = "" if name == key.attribute else f" as {name}"
            members[key.module][key.attribute + alias] = None
    plain.update(dict.fromkeys(f"import {module}" for module in closure.submodules))
    lines = ["from __future__ import annotations"] if _postpones_annotations(closure) else []
    lines += sorted(plain)
    lines += [
        f"from {module} import {', '.join(sorted(members[module]))}" for module in sorted(members)
    ]
    return "\n".join(lines)


def _import_line(module: str, attribute: str | None, name: str, binds_root: bool) -> str:
    if attribute is None:
        return f"import {module}" if binds_root else f"import {module} as {name}"
    alias = "" if name == attribute else f" as {name}"
    return f"from {module} import {attribute}{alias}"


def _postpones_annotations(closure: Closure) -> bool:
    return any(
        leaf.node.type == "future_import_statement" and b"annotations" in (leaf.node.text or b"")
        for module in {piece.module for piece in closure.pieces.values()}
        for leaf in module.scope.leaves[:3]
    )
