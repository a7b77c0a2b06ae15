"""Layout of written code: if a line is too long, the text in brackets moves to separate lines."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence
from itertools import pairwise

from curation.source.text import UNREADABLE, parse, rewrite, walk

WIDTH = 100
# Minimum characters between parentheses for them to be split over lines.
NARROW = 20
ROUNDS = 200
# Empty lines that are left in a function after statements were removed.
GAP = re.compile(r"\n\n\n+(?=[ \t]+\S)")


def lay_out(text: str, name: str) -> str:
    """Return the module without lines that are too long in the function `name` and in the first
    lines of other functions, and without repeated empty lines in functions.
    """
    try:
        return _closed(rewrite(text, lambda text: _wrapped(text, name), ROUNDS))
    except (*UNREADABLE, tokenize.TokenError):
        return text


def _wrapped(text: str, name: str) -> str | None:
    """Return the text with the widest parentheses of one more long line split, or None."""
    lines = text.split("\n")
    functions = [node for node in walk(parse(text)) if isinstance(node, ast.FunctionDef)]
    ours = {each.lineno for each in functions}
    for each in functions:
        if each.name == name:
            ours |= {*range(each.lineno, (each.end_lineno or 0) + 1)}
    long = [row for row in sorted(ours) if len(lines[row - 1]) > WIDTH]
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline)) if long else []
    for row in long:
        pairs = _parentheses([each for each in tokens if each.start[0] == row])
        widest = max(pairs, key=lambda commas: commas[-1] - commas[0], default=[0])
        if widest[-1] - widest[0] > NARROW:
            lines[row - 1] = _opened(lines[row - 1], widest)
            return "\n".join(lines)
    return None


def _parentheses(tokens: Sequence[tokenize.TokenInfo]) -> list[list[int]]:
    """Return the columns of each pair of parentheses on a line, and of the commas between them."""
    pairs: list[list[int]] = []
    around: list[tuple[str, list[int]]] = []
    for token in (each for each in tokens if each.type == tokenize.OP):
        column = token.start[1]
        if token.string in "([{":
            around.append((token.string, [column]))
        elif around and token.string == ",":
            around[-1][1].append(column)
        elif around and token.string in ")]}":
            opening, columns = around.pop()
            pairs += [[*columns, column]] if opening == "(" else []
    return pairs


def _opened(line: str, columns: Sequence[int]) -> str:
    """Return a line as several: the text in parentheses on one line, or one element per line."""
    margin = line[: len(line) - len(line.lstrip())]
    parts = [line[first + 1 : last].strip() for first, last in pairwise(columns)]
    inner = f"\n{margin}    "
    joined = ", ".join(parts).strip()
    if len(inner) - 1 + len(joined) > WIDTH and len(parts) > 1:
        joined = f",{inner}".join(filter(None, parts)) + ","
    return f"{line[: columns[0] + 1]}{inner}{joined}\n{margin}{line[columns[-1] :]}"


def _closed(text: str) -> str:
    """Return the text without repeated empty lines in functions, except in strings."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    inside = {row for each in tokens if each.type == tokenize.STRING
              for row in range(each.start[0], each.end[0])}  # fmt: skip
    return GAP.sub(
        lambda gap: gap[0] if text.count("\n", 0, gap.start()) + 1 in inside else "\n\n", text
    )
