"""Wrapping of long lines that templates produce."""

from __future__ import annotations

import re
import textwrap

WIDTH = 99
BLANK_LINES = re.compile(r"\n{4,}")


def tidy(source: str) -> str:
    """Return the source with long lines wrapped, and without lines that became empty."""
    lines = (line for line in source.split("\n") if not line.isspace())
    fitting = (part for line in lines for part in _fitting(line))
    return BLANK_LINES.sub("\n\n\n", "\n".join(fitting))


def _fitting(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    if text.startswith('"""'):
        return _docstring(indent, text)
    if text.startswith("#"):
        return [line]
    if text.startswith("return ") and len(_arguments(text[7:])) > 1:
        # A tuple may get parentheses, in which it can be wrapped.
        text = f"return ({text[7:]})"
    # The longest call or parenthesized tuple.
    start, end = max(_groups(text), key=lambda group: group[1] - group[0], default=(0, 0))
    arguments = _arguments(text[start:end])
    if len(arguments) < 2 and not re.search(r"[\w\]]\($", text[:start]):
        return [line]
    parts = [part for one in arguments for part in _fitting(f"{indent}    {one},")]
    return [f"{indent}{text[:start]}", *parts, f"{indent}{text[end:]}"]


def _docstring(indent: str, text: str) -> list[str]:
    closing = '"""' * text.endswith('"""')
    body = text.removeprefix('"""').removesuffix('"""')
    first, *rest = textwrap.wrap(body, WIDTH - len(indent) - 3, break_on_hyphens=False)
    return [
        f'{indent}"""{first}',
        *(indent + line for line in rest),
        *([indent + closing] if closing else []),
    ]


def _depths(text: str) -> list[int]:
    """Return the number of brackets that are open after each character."""
    depths, depth = [], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        depths.append(depth)
    return depths


def _groups(text: str) -> list[tuple[int, int]]:
    """Return the ranges of text inside outermost parentheses."""
    depths = _depths(text)
    starts = [place + 1 for place, depth in enumerate(depths) if depth == 1 and text[place] == "("]
    ends = [place for place, depth in enumerate(depths) if depth == 0 and text[place] == ")"]
    return list(zip(starts, ends, strict=False))


def _arguments(text: str) -> list[str]:
    """Return the parts between those commas that are outside of brackets."""
    depths = _depths(text)
    cuts = [place for place, depth in enumerate(depths) if depth == 0 and text[place] == ","]
    bounds = zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(text)], strict=True)
    return [part for start, end in bounds if (part := text[start:end].strip())]
