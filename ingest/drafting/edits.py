"""Changes of a text at places of its syntax tree; all else stays as its author wrote it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

# What a text that is no Python, or too much of it, raises where it is parsed and walked.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class Edits:
    """Of changes that overlap the one that begins first is made."""

    def __init__(self, text: str) -> None:
        self._data = text.encode()
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._made: list[tuple[int, int, bytes]] = []

    def start(self, node: ast.AST) -> int:
        return self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def of(self, node: ast.AST) -> str:
        """What stood there."""
        return self._data[self.start(node) : self.end(node)].decode()

    def between(self, first: ast.AST, last: ast.AST) -> str:
        """What stood from the beginning of one node to the end of another."""
        return self._data[self.start(first) : self.end(last)].decode()

    def replace(self, first: int, last: int, text: str) -> None:
        self._made.append((first, last, text.encode()))

    def put(self, node: ast.AST, text: str) -> None:
        self.replace(self.start(node), self.end(node), text)

    def drop(self, statement: ast.stmt, *, alone: bool) -> None:
        """With its line, or with `pass` in its place where its block would be empty."""
        lines = self._lines(statement, b"")
        if alone or lines is None:
            self.put(statement, "pass")
        else:
            self.replace(*lines, "")

    def drop_decorator(self, decorator: ast.expr) -> None:
        if lines := self._lines(decorator, b"@"):
            self.replace(*lines, "")

    def _lines(self, node: ast.AST, mark: bytes) -> tuple[int, int] | None:
        """The lines that a node fills, with nothing but `mark` before it and nothing behind."""
        first = self._starts[node.lineno - 1]  # type: ignore[attr-defined]
        end = self._data.find(b"\n", self.end(node))
        end = len(self._data) if end < 0 else end
        before, behind = self._data[first : self.start(node)], self._data[self.end(node) : end]
        return (first, end + 1) if before.strip() == mark and not behind.strip() else None

    def drop_among(self, all_of_them: Sequence[ast.expr], dropped: Sequence[ast.expr]) -> None:
        """Arguments, or values with their keys: each with the comma before it; a first one, that
        none is before, stays."""
        ordered = sorted(all_of_them, key=self.start)
        for previous, node in pairwise(ordered):
            if any(node is one for one in dropped):
                self.replace(self.end(previous), self.end(node), "")

    def text(self) -> str:
        parts, at = [], 0
        for first, last, written in sorted(self._made):
            if first < at:
                continue
            parts += [self._data[at:first], written]
            at = last
        return b"".join([*parts, self._data[at:]]).decode()
