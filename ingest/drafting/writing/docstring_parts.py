"""Removal of parts of docstrings that tell of the library that a launcher comes from: examples of
its interface, and parameters that the launcher lost.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from curation.source.functions import is_kernel, signature
from curation.source.text import UNREADABLE, Edits, parse
from ingest.drafting.reading.sentences import without_language

SECTION = re.compile(
    r"(Args|Arguments|Parameters|Returns?|Raises|Examples?|Shapes?|Notes?|See also|Example usage"
    r"|Usage):{1,2}$"
)
ARGUMENTS = re.compile(r"(Args|Arguments|Parameters):{1,2}$")
EXAMPLES = re.compile(r"(Examples?|Example usage|Usage):{1,2}$")
# An entry of a list of parameters: `x (Tensor): …`, `q, k: …` or `x:`.
ENTRY = re.compile(r"`?\*{0,2}([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)`?\s*(\([^:]*\))?\s*:(\s|$)")


def trim_docstrings(text: str) -> str:
    """Return the module whose host functions' docstrings show no example of another interface, name
    no parameter that the function lacks, and do not tell of a side in their first line.
    """
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or is_kernel(function):
            continue
        match function.body[0]:
            case ast.Expr(value=ast.Constant(value=str()) as node):
                written = edits.of(node)
                first, gap, rest = _trimmed(written, function).partition("\n")
                kept = f"{without_language(first)}{gap}{rest}"
                if kept != written:
                    edits.put(node, kept)
    trimmed = edits.text()
    try:
        parse(trimmed)
    except UNREADABLE:
        return text
    return trimmed


def _trimmed(written: str, function: ast.FunctionDef) -> str:
    """Return the source of a docstring without these parts."""
    lines = written.split("\n")
    quote = written.lstrip("rRbBuU")[:3]
    if len(lines) < 3 or quote not in {'"""', "'''"}:
        return written
    a = function.args
    names = {*signature(a).names}
    names |= {each.arg for each in (a.vararg, a.kwarg) if each is not None}
    body, last = lines[1:-1], lines[-1]
    closing = last.strip() == quote
    if not closing:
        return written
    kept: list[str] = []
    for section in _sections(body):
        heading = section[0].strip()
        if EXAMPLES.fullmatch(heading) and any(">>>" in line for line in section):
            continue
        kept += _arguments(section, names) if ARGUMENTS.fullmatch(heading) else section
    if kept == body:
        return written
    while kept and not kept[-1].strip():
        kept.pop()
    if not any(line.strip() for line in kept):
        return f"{lines[0].rstrip()}{quote}"
    return "\n".join([lines[0], *kept, last])


def _sections(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines up to each heading, and those from it on."""
    section: list[str] = []
    for line in lines:
        if SECTION.fullmatch(line.strip()) and section:
            yield section
            section = []
        section.append(line)
    if section:
        yield section


def _arguments(section: Sequence[str], names: set[str]) -> list[str]:
    """Return a list of parameters without those that the function lacks."""
    indents = [_indent(line) for line in section[1:] if line.strip()]
    if not indents:
        return list(section)
    level = indents[0]
    kept: list[str] = []
    dropping = False
    for line in section[1:]:
        if line.strip() and _indent(line) <= level:
            entry = ENTRY.match(line.strip())
            named = set(re.split(r"\s*,\s*", entry[1])) if entry else set()
            dropping = bool(entry) and not named & names
        if not dropping or not line.strip():
            kept.append(line)
    if not any(line.strip() for line in kept):
        return []
    return [section[0], *kept]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
