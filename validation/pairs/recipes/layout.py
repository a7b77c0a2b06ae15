"""Wrapping of the few long lines that templates produce."""

from __future__ import annotations

import re
import textwrap

WIDTH = 99


def tidy(source: str) -> str:
    lines: list[str] = []
    for line in source.split("\n"):
        # Nearly all lines are short enough.
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
        return _broken(indent, text)
    start = call.end()
    if start == len(text):
        return [line]
    end = _closing(text, start)
    arguments = [f"{indent}    {part}," for part in _split(text[start:end], ",")]
    rest = [part for argument in arguments for part in _fitting(argument)]
    return [f"{indent}{text[:start]}", *rest, f"{indent}{text[end:]}"]


CALL = re.compile(
    r"(?:\bdef \w+|\breturn \w+\(\)|\b(?:tl|torch|F)\.\w+|\btriton\.Config"
    r"|(?<== )_\w+|^\w+\[.+\])\("
)


BREAKABLE = re.compile(
    r"(?!(?:return|for|while|if|elif|assert|from|import|with|def|class)\b)\w[^#\"']*[^:\"'#]"
)


def _broken(indent: str, text: str) -> list[str]:
    """Break a list of arguments after commas, and a sum before each plus.

    Statements, comments and strings are not broken.
    """
    if not BREAKABLE.fullmatch(text):
        return [f"{indent}{text}"]
    arguments = _split(text, ",")
    if len(arguments) > 1 and " = " not in text:
        return [f"{indent}{argument}," for argument in arguments]
    target, equals, total = text.partition(" = ")
    inner = f"{indent}    " if equals else indent
    first, *others = _split((total or text).removesuffix(","), "+")
    if not others:
        return [f"{indent}{text}"]
    lines = [f"{inner}{first}", *(f"{inner}+ {other}" for other in others)]
    if equals:
        return [f"{indent}{target} = (", *lines, f"{indent})"]
    return [*lines[:-1], f"{lines[-1]},"]


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


def _split(text: str, mark: str) -> list[str]:
    """Split at occurrences of a mark outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == mark and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in (*parts, text[start:].strip()) if part]
