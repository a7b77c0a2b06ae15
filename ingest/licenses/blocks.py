"""Comments, docstrings and long string constants of a text, found without parsing it.

The search also works in invalid Python and takes linear time. A file of another type is one block.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_PYTHON = (".py", ".pyi", ".pyx", ".pxd")
# Largest distance, in lines, of two comments that count as one: one blank line is between them.
_LARGEST_GAP = 2

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<quote>\"{3}|'{3})
    |(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<newline>\n)""",
    re.VERBOSE | re.DOTALL,
)
_BEFORE_A_DOCSTRING = re.compile(r"[ \t\f\ufeff]*[rRuUbB]{0,2}")
_DUNDER = re.compile(r"^__(?:licen[cs]e|copyright)__[ \t]*=[ \t]*.{1,300}$", re.MULTILINE)


class BlockKind(StrEnum):
    COMMENT = "comment"
    DOCSTRING = "docstring"
    CONSTANT = "constant"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines of prose. `start_line` counts from 1."""

    kind: BlockKind
    start_line: int
    lines: tuple[str, ...]


def blocks(path: str, text: str) -> list[Block]:
    """Return the blocks of a file, in file order."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not path.lower().endswith(_PYTHON):
        return [Block(BlockKind.TEXT, 1, tuple(text.split("\n")))]
    return list(_joined(sorted(_pieces(text), key=lambda piece: piece.start_line)))


def _pieces(text: str) -> Iterator[Block]:
    line, line_start, depth, position = 1, 0, 0, 0
    while match := _TOKEN.search(text, position):
        start, position = match.span()
        kind = match.lastgroup
        if kind == "newline":
            line, line_start = line + 1, position
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "comment":
            yield Block(BlockKind.COMMENT, line, (match.group(),))
        elif kind == "string":
            # A string constant may contain line ends, after backslashes.
            ends = match.group().count("\n")
            before = text[line_start:start]
            if _stands_alone(before, depth) and _ends_statement(text, position):
                yield Block(BlockKind.DOCSTRING, line, tuple(match.group().split("\n")))
            elif declared := _DUNDER.match(text, line_start, position):
                yield Block(BlockKind.COMMENT, line, (declared.group(),))
            if ends:
                line, line_start = line + ends, text.rfind("\n", start, position) + 1
        else:
            position = _end_of_triple(text, position, match.group())
            piece = text[start:position]
            alone = _stands_alone(text[line_start:start], depth)
            meant = BlockKind.DOCSTRING if alone else BlockKind.CONSTANT
            yield Block(meant, line, tuple(piece.split("\n")))
            if ends := piece.count("\n"):
                line, line_start = line + ends, text.rfind("\n", start, position) + 1


def _end_of_triple(text: str, position: int, quote: str) -> int:
    while (end := text.find(quote, position)) != -1:
        backslashes = end - len(text[position:end].rstrip("\\")) - position
        if backslashes % 2 == 0:
            return end + len(quote)
        position = end + 1
    return len(text)


def _stands_alone(before: str, depth: int) -> bool:
    return depth == 0 and len(before) < 200 and bool(_BEFORE_A_DOCSTRING.fullmatch(before))


def _ends_statement(text: str, position: int) -> bool:
    rest = text[position : position + 200].split("\n", 1)[0].strip()
    return not rest or rest.startswith(("#", ";"))


def _joined(pieces: Iterator[Block] | list[Block]) -> Iterator[Block]:
    lines: list[str] = []
    start = 0
    for piece in pieces:
        if piece.kind is BlockKind.COMMENT:
            gap = piece.start_line - (start + len(lines))
            if lines and 0 <= gap < _LARGEST_GAP:
                lines.extend([""] * gap)
                lines.extend(piece.lines)
                continue
        if lines:
            yield Block(BlockKind.COMMENT, start, tuple(lines))
            lines = []
        if piece.kind is BlockKind.COMMENT:
            start, lines = piece.start_line, list(piece.lines)
        else:
            yield piece
    if lines:
        yield Block(BlockKind.COMMENT, start, tuple(lines))
