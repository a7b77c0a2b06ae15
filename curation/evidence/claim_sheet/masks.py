"""Stores of blocks without a mask, which may write outside of a tensor. Pure."""

import ast
import re
from collections.abc import Iterator

from curation.lexer import is_readable
from curation.text import pluralize

# Functions that return blocks of addresses. Values that are computed from a block are blocks, too.
BLOCKS = ("arange", "make_block_ptr")
MASKED = ("mask", "boundary_check")


# A function at the top level, up to the next statement at the top level.
FUNCTION = re.compile(r"^def .*?(?=^[^\s)#]|\Z)", re.MULTILINE | re.DOTALL)


def unmasked_stores(source: str) -> tuple[int, ...] | None:
    """Return the lines with a `tl.store` of a block without a mask, or None if parsing fails.

    A store of a single element needs no mask. A tensor descriptor checks its bounds itself.
    """
    if not is_readable(source):
        return None
    lines: list[int] = []
    for match in FUNCTION.finditer(source):
        # Only functions that store are parsed: 20 s → 1.4 s for 300 kernels (2026-11-29).
        if "tl.store(" not in match[0]:
            continue
        try:
            [function] = ast.parse(match[0]).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        before = source.count("\n", 0, match.start())
        lines += [before + line for line in _stores(function)]
    return tuple(sorted(set(lines)))


def _stores(function: ast.stmt) -> Iterator[int]:
    blocks = _blocks(function)
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(attr="store", value=ast.Name(id="tl"))):
                given = {keyword.arg for keyword in node.keywords}
                has_mask = len(node.args) > 2 or not given.isdisjoint(MASKED)
                if node.args and not has_mask and _is_block(node.args[0], blocks):
                    yield node.lineno


def _blocks(function: ast.stmt) -> set[str]:
    """Return the variables whose value depends on a block of offsets."""
    blocks: set[str] = set()
    assignments = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None
    ]
    while True:
        before = len(blocks)
        for node in assignments:
            if node.value is not None and _is_block(node.value, blocks):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                blocks |= {
                    name.id
                    for target in targets
                    for name in ast.walk(target)
                    if isinstance(name, ast.Name)
                }
        if len(blocks) == before:
            return blocks


def _is_block(value: ast.expr, blocks: set[str]) -> bool:
    """Return True for a block of addresses. Loads and reductions return values, not addresses."""
    match value:
        case ast.Name(id=name):
            return name in blocks
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in BLOCKS:
            return True
        case ast.Call():
            return False
        case _:
            parts = ast.iter_child_nodes(value)
            return any(isinstance(part, ast.expr) and _is_block(part, blocks) for part in parts)


def without_mask(lines: tuple[int, ...]) -> str:
    numbers = ", ".join(map(str, lines[:5])) + (" …" if len(lines) > 5 else "")
    noun = "line" if len(lines) == 1 else "lines"
    return f"{pluralize(len(lines), 'store')} of a block without a mask, {noun} {numbers}"
