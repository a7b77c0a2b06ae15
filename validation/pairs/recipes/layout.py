"""Line wrapping of the few long lines that templates produce."""

from __future__ import annotations

import re
import textwrap

WIDTH = 99


def tidy(source: str) -> str:
    lines: list[str] = []
    for line in source.split("\n"):
        # Nearly all lines fit.
        lines += [line] if len(line) <= WIDTH else _fitting(line)
    return BLANK_LINES.sub("\n\n\n", "\n".join(lines))


BLANK_LINES = re.compile(r"\n{4,}")


def _fitting(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    text = line.strip()
    if text.startswith('"""'):
        return _docstring(indent, text)
    call = CALL.search(text)
    if call is None:
        return [line]
    start = call.end()
    end = _closing(text, start)
    arguments = [f"{indent}    {part}," for part in _arguments(text[start:end])]
    rest = [part for argument in arguments for part in _fitting(argument)]
    return [f"{indent}{text[:start]}", *rest, f"{indent}{text[end:]}"]


CALL = re.compile(r"(?:\bdef \w+|\breturn \w+\(\)|\b(?:tl|torch|F)\.\w+|(?<== )_\w+)\(")


def _docstring(indent: str, text: str) -> list[str]:
    closed = text.endswith('"""')
    body = text.removeprefix('"""').removesuffix('"""')
    wrapped = textwrap.wrap(body, WIDTH - len(indent) - 3, break_on_hyphens=False)
    if not closed:
        return [f'{indent}"""{wrapped[0]}', *(f"{indent}{line}" for line in wrapped[1:])]
    return [
        f'{indent}"""{wrapped[0]}',
        *(f"{indent}{line}" for line in wrapped[1:]),
        f'{indent}"""',
    ]


def _closing(text: str, start: int) -> int:
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def _arguments(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in (*parts, text[start:].strip()) if part]
