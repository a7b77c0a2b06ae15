"""Kernels inside other text: string constants, templates with holes, Markdown.

Each fragment is Python code padded with empty lines, so that its line numbers are those of the
file.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from ingest.extract.syntax import Source

FENCE = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*$")
PYTHON_TAGS = frozenset({"", "python", "py", "python3", "triton", "pycon"})
HOLES = (
    # Braces inside are excluded, so that the search stays linear on a text of braces only.
    re.compile(r"\{\{[^{}]*\}\}"),
    re.compile(r"\{%[^{}]*%\}"),
    re.compile(r"\{#[^{}]*#\}"),
    re.compile(r"%\(\w+\)[sdr]|%[sdr](?!\w)"),
    re.compile(r"\$\{?[A-Za-z_]\w*\}?|<[A-Z][A-Z0-9_]*>"),
)
FORMAT_HOLE = re.compile(r"(?<!\{)\{[A-Za-z_][\w.]*(?:![rsa])?(?::[^{}\n]*)?\}(?!\})")
DECORATOR = re.compile(rb"\n[ \t]*@[^\n]*\bjit\b")
"""The match begins at a line end, because a decorator is never on the line of the quotes."""
INSIDE_STRING = frozenset({"string_content", "escape_sequence", "escape_interpolation"})
KERNEL = re.compile(r"^[ \t]*@.*\bjit\b", re.M)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Python code, and the lines of the original file with the same line numbers."""

    code: str
    original: tuple[str, ...]
    container: Literal["string", "template", "markdown"]


def in_strings(source: Source) -> Iterator[Fragment]:
    """Yield the triple-quoted strings and f-strings that contain a jitted function."""
    for node in _strings_with_decorators(source):
        text, holes = _content(source, node)
        if KERNEL.search(text) is None:
            continue
        first = node.start_point.row
        yield _fragment(text, first, source.lines(first + 1, node.end_point.row + 1), holes)


def _strings_with_decorators(source: Source) -> Iterator[Node]:
    root, end = source.tree.root_node, 0
    for match in DECORATOR.finditer(source.data):
        if match.start() < end:
            continue
        node = root.descendant_for_byte_range(match.end() - 1, match.end())
        while node is not None and node.type in INSIDE_STRING:
            node = node.parent
        if node is None or node.type != "string" or node.start_point.row == node.end_point.row:
            continue
        end = node.end_byte
        yield node


def in_template(text: str) -> Iterator[Fragment]:
    """Yield a template file as one fragment."""
    if KERNEL.search(text):
        yield _fragment(text, 0, text, holes=True)


def in_markdown(text: str) -> Iterator[Fragment]:
    """Yield the fenced code blocks that are marked as Python or have no language."""
    lines = text.split("\n")
    opened: tuple[int, str, str] | None = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if opened is None:
            if fence and fence.group(3).lower() in PYTHON_TAGS:
                opened = (number, fence.group(1), fence.group(2))
            continue
        if fence is None or not fence.group(2).startswith(opened[2]) or fence.group(3):
            continue
        start, margin, _ = opened
        opened = None
        block = [inner.removeprefix(margin) for inner in lines[start + 1 : number]]
        code = "\n".join(block)
        if KERNEL.search(code):
            padding = "\n" * (start + 1)
            yield Fragment(padding + textwrap.dedent(code), tuple(lines), "markdown")


def _fragment(text: str, first: int, original: str, holes: bool) -> Fragment:
    plain = textwrap.dedent(text)
    has_holes = holes or any(hole.search(plain) for hole in HOLES[:3])
    code = _without_holes(plain) if has_holes else plain
    lines = ("",) * first + tuple(original.split("\n"))
    return Fragment("\n" * first + code, lines, "template" if has_holes else "string")


def _without_holes(text: str) -> str:
    """Replace every template hole by a name of the same length."""
    for hole in (*HOLES, FORMAT_HOLE):
        text = hole.sub(_placeholder, text)
    return text


def _placeholder(match: re.Match[str]) -> str:
    hole = match.group()
    if hole.startswith(("{%", "{#")):
        return re.sub(r"[^\n]", " ", hole)
    first, *rest = hole.split("\n")
    return "\n".join(["_" * len(first), *(" " * len(line) for line in rest)])


def _content(source: Source, node: Node) -> tuple[str, bool]:
    """Return the text between the quotes with its escapes, and whether it has f-string holes."""
    data = source.data
    start = node.children[0].end_byte
    end = node.children[-1].start_byte
    pieces: list[str] = []
    at = start
    holes = False
    for child in node.children:
        if child.type == "interpolation":
            holes = True
            pieces.append(data[at : child.start_byte].decode("utf-8"))
            hole = data[child.start_byte : child.end_byte].decode("utf-8")
            pieces.append("_" * len(hole) if "\n" not in hole else "_" + "\n" * hole.count("\n"))
            at = child.end_byte
    pieces.append(data[at:end].decode("utf-8"))
    return "".join(pieces), holes
