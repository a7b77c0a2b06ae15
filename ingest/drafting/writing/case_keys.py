"""Cases without the keys that a test does not read."""

from __future__ import annotations

import ast

from curation.source.text import UNREADABLE, Edits, parse, walk

NEEDED = {"dtype", "seed"}


def drop_unread_keys(test: str) -> str:
    """Return the test whose cases lack the keys that it never reads, and differ in more than the
    seed.
    """
    try:
        tree = parse(test)
    except UNREADABLE:
        return test
    rows: list[ast.Dict] = []
    read: set[object] = set(NEEDED)
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id="CASES")], value=ast.List(elts=elements)):
                rows = [each for each in elements if isinstance(each, ast.Dict)]
            case ast.Assign(targets=[ast.Name(id="FIXED")], value=ast.Set(elts=elements)):
                read |= {each.value for each in elements if isinstance(each, ast.Constant)}
            case ast.Subscript(value=ast.Name(id="case"), slice=ast.Constant(value=str(key))):
                read.add(key)
    edits = Edits(test)
    shown: set[str] = set()
    for row in rows:
        kept = [
            (key, value)
            for key, value in zip(row.keys, row.values, strict=True)
            if isinstance(key, ast.Constant) and key.value in read
        ]
        if len(kept) == len(row.keys):
            return test
        written = ast.unparse(ast.Dict([key for key, _ in kept], [value for _, value in kept]))
        unseeded = str(
            [(key.value, ast.unparse(value)) for key, value in kept if key.value != "seed"]
        )
        if unseeded in shown:
            edits.replace(edits.start(row) - row.col_offset, edits.end(row) + len(",\n"), "")
        else:
            edits.put(row, written)
        shown.add(unseeded)
    return edits.text()
