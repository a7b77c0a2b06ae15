"""Edits of a text at nodes of its syntax tree. All other text stays unchanged."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

# Errors in parsing or walking a text that is not Python or is nested too deeply.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@functools.lru_cache(maxsize=32)
def parse(text: str) -> ast.Module:
    """Return the tree of a text. It is cached for many rules, so callers must not change it.

    A text that can't be parsed raises an error of `UNREADABLE`.
    """
    return ast.parse(text)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes below it, in the order of `ast.walk`, but a third faster."""
    nodes = [node]
    for each in nodes:
        yield each
        for value in each.__dict__.values():
            if value.__class__ is list:
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)


def rewrite(text: str, once: Callable[[str], str | None], rounds: int) -> str:
    """Apply `once` to a text until the text no longer changes, at most `rounds` times.

    once: function that returns the changed text. If there is no change, it returns the same text or
    None. If it can't read the text, the text stays unchanged.
    """
    for _ in range(rounds):
        try:
            changed = once(text)
        except UNREADABLE:
            return text
        if changed is None or changed == text:
            return text
        text = changed
    return text


Edit = tuple[int, int, bytes]
"""Start and end in bytes of the UTF-8 text, and replacement."""


class Edits:
    """A list of edits. If several overlap, only the one that begins first is applied."""

    def __init__(self, text: str) -> None:
        self._data = text.encode()
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._made: list[Edit] = []

    def start(self, node: ast.AST) -> int:
        return self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def dot(self, node: ast.Attribute) -> int:
        """Return the offset of an attribute's dot, which may follow a closing parenthesis."""
        return self._data.rindex(b".", self.end(node.value), self.end(node))

    def comma(self, node: ast.AST) -> int:
        """Return the offset of the comma after an argument, which may be in parentheses."""
        return self._data.index(b",", self.end(node))

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def of(self, node: ast.AST) -> str:
        """Return the original text of a node."""
        return self._data[self.start(node) : self.end(node)].decode()

    def between(self, first: ast.AST, last: ast.AST) -> str:
        """Return the original text from the start of one node, with its decorators, to the end of
        another.
        """
        decorators = getattr(first, "decorator_list", [])
        start = self.start(decorators[0]) - 1 if decorators else self.start(first)
        return self._data[start : self.end(last)].decode()

    def line_start(self, statement: ast.stmt) -> int:
        """Return the offset of the first line of a statement, including its decorators."""
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        line = min([statement.lineno, *(each.lineno for each in decorators)])
        return self._starts[line - 1]

    def parted(self, first: int, last: int) -> tuple[str, str, str]:
        """Return the original text before offset `first`, up to `last`, and after `last`."""
        before, own, behind = self._data[:first], self._data[first:last], self._data[last:]
        return before.decode(), own.decode(), behind.decode()

    def replace(self, first: int, last: int, text: str) -> None:
        self._made.append((first, last, text.encode()))

    def put(self, node: ast.AST, text: str) -> None:
        self.replace(self.start(node), self.end(node), text)

    def drop(self, statement: ast.stmt, *, alone: bool) -> None:
        """Remove a statement with its line. Replace it by `pass` if it is `alone` in its block."""
        lines = self._lines(statement, b"")
        if alone or lines is None:
            self.put(statement, "pass")
        else:
            self.replace(*lines, "")

    def drop_comments(self, statement: ast.stmt) -> None:
        """Remove the comment lines directly above a statement. They describe the statement."""
        first = last = self._starts[statement.lineno - 1]
        for line in range(statement.lineno - 2, -1, -1):
            start = self._starts[line]
            if not self._data[start : self._starts[line + 1]].lstrip().startswith(b"#"):
                break
            first = start
        if first < last:
            self.replace(first, last, "")

    def drop_decorator(self, decorator: ast.expr) -> None:
        if lines := self._lines(decorator, b"@"):
            self.replace(*lines, "")

    def _lines(self, node: ast.AST, mark: bytes) -> tuple[int, int] | None:
        """Return the range of a node's lines, including a comment at their end. Return None if they
        contain other code, except `mark`."""
        first = self._starts[node.lineno - 1]  # type: ignore[attr-defined]
        end = self._data.find(b"\n", self.end(node))
        end = len(self._data) if end < 0 else end
        before, behind = self._data[first : self.start(node)], self._data[self.end(node) : end]
        alone = before.strip() == mark and behind.strip()[:1] in (b"", b"#")
        return (first, end + 1) if alone else None

    def own_lines(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the range of an element's lines, or None if other code is on these lines."""
        start = self._data.rfind(b"\n", 0, first) + 1
        end = self._data.find(b"\n", last)
        before, behind = self._data[start:first], self._data[last:end].strip()
        alone = end >= 0 and not before.strip() and (behind + b",").startswith(b",")
        return (start, end + 1) if alone and behind[1:].strip()[:1] in (b"", b"#") else None

    def drop_among(self, all_of_them: Sequence[ast.AST], dropped: Sequence[ast.AST]) -> None:
        """Remove arguments, or dictionary values with their keys, and the comma before each. A
        first element is not removed, because no comma precedes it."""
        ordered = sorted(all_of_them, key=self.start)
        for previous, node in pairwise(ordered):
            if any(node is one for one in dropped):
                self.replace(self.end(previous), self.end(node), "")

    def made(self) -> tuple[Edit, ...]:
        """Return the edits made so far, as the input of `repeat`."""
        return tuple(self._made)

    def repeat(self, made: Iterable[Edit]) -> None:
        self._made += made

    def text(self) -> str:
        parts, at = [], 0
        for first, last, written in sorted(self._made):
            if first < at:
                continue
            parts += [self._data[at:first], written]
            at = last
        return b"".join([*parts, self._data[at:]]).decode()
