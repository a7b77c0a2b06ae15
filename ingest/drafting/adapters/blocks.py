"""Removal of the statement around a block. All lines are kept, so line numbers stay valid."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from curation.source.functions import dotted_name
from curation.source.text import UNREADABLE

Range = tuple[int, int]
"""First and last line, both included and counted from one."""

DEEPEST = 12


class Blocks:
    """The lines of a file, in which blocks are moved out of the statements around them."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    def keep(self, statement: ast.stmt, kept: Sequence[ast.stmt], *, alone: bool) -> Range | None:
        """Keep only `kept` of a compound statement. Return the range of their lines, or None."""
        first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
        margin = self._lines[first][: statement.col_offset]
        lines = self._lines[first:last]
        self._lines[first:last] = [""] * len(lines)
        if not kept:
            self._lines[first] = f"{margin}pass" if alone else ""
            return None
        begin, end = beginning(kept[0]) - 1, kept[-1].end_lineno or kept[-1].lineno
        extra = kept[0].col_offset - statement.col_offset
        for number in range(begin, end):
            line = lines[number - first]
            blank = line[: len(margin) + extra].strip()
            self._lines[number] = line if blank else margin + line[len(margin) + extra :]
        # The next branch of an `if` chain becomes the first branch.
        first_line = self._lines[begin].removeprefix(margin)
        if isinstance(kept[0], ast.If) and first_line.startswith("elif"):
            self._lines[begin] = margin + first_line.removeprefix("el")
        return begin + 1, end


def beginning(statement: ast.stmt) -> int:
    """Return the line at which a statement or its first decorator begins."""
    if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return statement.lineno
    return min([statement.lineno, *(each.lineno for each in statement.decorator_list)])


def unwrap(text: str, contexts: frozenset[str]) -> tuple[str, list[Range]]:
    """Return the text without these context managers, and the line ranges of their blocks."""
    ranges: list[Range] = []
    for _ in range(DEEPEST):
        nodes = ast.walk(ast.parse(text))
        reached = [node for node in nodes if isinstance(node, ast.With) and _is(node, contexts)]
        if not reached:
            break
        blocks = Blocks(text)
        for node in _outermost(reached):
            if isinstance(node, ast.With) and (lines := blocks.keep(node, node.body, alone=False)):
                ranges.append(lines)
        text = blocks.text
    return text, ranges


def _is(node: ast.With, contexts: frozenset[str]) -> bool:
    if len(node.items) != 1:
        return False
    call = node.items[0].context_expr
    name = dotted_name(call.func) if isinstance(call, ast.Call) else None
    return name is not None and ".".join(name) in contexts and node.body[0].lineno > node.lineno


def fold(text: str, constants: Mapping[str, object]) -> str:
    """Return the text without the branches that never run if these constants have their values."""
    if not any(word_of(name) in text for name in constants):
        return text
    for _ in range(DEEPEST):
        tree = ast.parse(text)
        reached: list[tuple[ast.If, bool, bool]] = []
        for node in ast.walk(tree):
            for block in ("body", "orelse", "finalbody"):
                statements = getattr(node, block, None)
                for inner in statements if isinstance(statements, list) else ():
                    if isinstance(inner, ast.If) and not _is_elif(inner, text):
                        value = truth(inner.test, constants)
                        if value is not None:
                            reached.append((inner, value, len(statements or ()) == 1))
        if not reached:
            break
        blocks = Blocks(text)
        outermost = {id(node) for node in _outermost([node for node, *_ in reached])}
        for node, value, alone in reached:
            if id(node) in outermost:
                blocks.keep(node, node.body if value else node.orelse, alone=alone)
        text = blocks.text
    return text


def word_of(name: str) -> str:
    """Return a word that every text with this name, call or condition contains."""
    words = re.search(r"[\w.]+", name.removeprefix("*."))
    return words[0].rpartition(".")[2] if words else name


def truth(test: ast.expr, constants: Mapping[str, object]) -> bool | None:
    """Return the value of a condition if it depends only on these constants, or else None."""
    if ast.unparse(test) in constants:
        return bool(constants[ast.unparse(test)])
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            value = truth(operand, constants)
            return None if value is None else not value
        case ast.BoolOp(op=op, values=values):
            stops = isinstance(op, ast.Or)
            parts = [truth(part, constants) for part in values]
            if stops in parts:
                return stops
            return None if None in parts else not stops
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            known = _constant(left, constants)
            try:
                other = ast.literal_eval(right)
            except UNREADABLE:
                return None
            if known is None:
                return None
            match op:
                case ast.Eq():
                    return bool(known == other)
                case ast.NotEq():
                    return bool(known != other)
                case ast.In() if isinstance(other, list | tuple | set):
                    return known in other
                case ast.NotIn() if isinstance(other, list | tuple | set):
                    return known not in other
            return None
    known = _constant(test, constants)
    return None if known is None else bool(known)


def _constant(node: ast.expr, constants: Mapping[str, object]) -> object:
    name = dotted_name(node)
    return constants.get(".".join(name)) if name else None


def _is_elif(node: ast.If, text: str) -> bool:
    line = text.split("\n")[node.lineno - 1]
    return line.encode()[node.col_offset :].startswith(b"elif")


def _outermost(nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for node in sorted(nodes, key=lambda one: (one.lineno, -(one.end_lineno or 0))):
        if not kept or node.lineno > (kept[-1].end_lineno or 0):
            kept.append(node)
    return kept
