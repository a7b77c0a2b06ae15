"""Second parse of a file with syntax errors, one top-level statement at a time.

After an unclosed bracket, the parser finds no statements in the rest of the file. If each top-level
statement is parsed separately, only the one with the error is lost.
"""

from __future__ import annotations

import re

from ingest.extract.scopes import Nesting
from ingest.extract.syntax import Source, parse

STATEMENT_LIMIT = 5_000

STATEMENT = re.compile(
    rb"^(?:@|(?:async +)?def\b|class\b|if\b|try\b|from\b|import\b|[A-Za-z_]\w* *=)", re.M
)


def recovered(source: Source) -> Source:
    """Return a second parse if it has more intact decorated functions, or else `source`."""
    if not source.tree.root_node.has_error:
        return source
    other = _without_broken_statements(source)
    return other if other and _whole_functions(other) > _whole_functions(source) else source


def _whole_functions(source: Source) -> int:
    found = Nesting(source.tree.root_node).decorated
    return sum(not node.has_error for node in found)


def _without_broken_statements(source: Source) -> Source | None:
    """Parse the text with spaces in place of each top-level statement that does not parse alone."""
    data = bytearray(source.data)
    starts = _statement_starts(source.data)
    if not 1 < len(starts) <= STATEMENT_LIMIT:
        return None
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        chunk = source.data[start:end]
        if parse(source.path, chunk.decode("utf-8")).tree.root_node.has_error:
            data[start:end] = re.sub(rb"[^\n]", b" ", chunk)
    return parse(source.path, data.decode("utf-8"))


def _statement_starts(data: bytes) -> list[int]:
    """Return the offsets of top-level statements. Decorators belong to their definition."""
    starts: list[int] = []
    decorating = False
    for match in STATEMENT.finditer(data):
        text = match.group()
        if not decorating:
            starts.append(match.start())
        decorating = text == b"@" or (decorating and not text.endswith((b"def", b"class")))
    return starts


def first_error(source: Source) -> int | None:
    """Return the first line that does not parse, or None."""
    node = source.tree.root_node
    if not node.has_error:
        return None
    # A query for missing nodes would take quadratic time on deep trees. Walking down does not.
    while node.type != "ERROR":
        below = next((c for c in node.children if c.has_error or c.is_missing), None)
        if below is None:
            break
        node = below
    return node.start_point.row + 1
