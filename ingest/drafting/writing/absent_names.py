"""Removal of comments, and parts of docstrings, about names that a text lacks or other machines.

A reader who has only the pair can't use a comment on a branch that is gone, or a docstring on an
option of the library. The first lines of docstrings stay, and so do notes on where a text is from.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.writing.comments import own_lines, runs
from ingest.drafting.writing.docstring_parts import ENTRY, SECTION

# Names that prose takes from code: options such as HAS_BIAS, and a name in backticks. Others may
# be mathematics, or the sizes of a shape.
NAME = re.compile(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b|(?<=`)[A-Za-z]\w+_\w{2,}(?=`)")
VENDOR = re.compile(r"\b(Intel|AMD|ROCm|MI[23]\d\d\w?|gfx\d+|XPU|Ascend|Cambricon|MUSA)\b")
ADDRESS = re.compile(r"\bhttps?://\S+")
OF_ORIGIN = re.compile(r"(?i)copyright|licen[sc]e|adapted from|\bhttps?://")


def drop_absent(text: str) -> str:
    """Return the module without what tells of names that it lacks."""
    try:
        names = _names(text)
        written = _without_comments(_without_parts(text, names), names)
        parse(written)
    except (*UNREADABLE, tokenize.TokenError):
        return text
    return written


def _names(text: str) -> set[str]:
    """Return the names of the code, and the words of its texts, but for docstrings."""
    nodes = list(walk(parse(text)))
    docstrings = {id(each.value) for each in nodes if isinstance(each, ast.Expr)}
    written = [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    names = {token.string for token in tokens if token.type == tokenize.NAME}
    return names.union(*(re.findall(r"\w+", each) for each in written))


def _is_foreign(words: str, names: set[str]) -> bool:
    """Return whether words name other machines, or what no code has."""
    if OF_ORIGIN.search(words):
        return False
    named = NAME.findall(ADDRESS.sub("", words))
    return bool(VENDOR.search(words)) or any(name not in names for name in named)


def _without_comments(text: str, names: set[str]) -> str:
    lines = text.split("\n")
    dropped: set[int] = set()
    own = own_lines(text)
    for block in runs(own):
        if _is_foreign("\n".join(lines[number - 1] for number in block), names):
            dropped |= set(block)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number, column = token.start
        behind_code = token.type == tokenize.COMMENT and number not in own
        if behind_code and _is_foreign(token.string, names):
            lines[number - 1] = lines[number - 1][:column].rstrip()
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in dropped)


def _without_parts(text: str, names: set[str]) -> str:
    edits = Edits(text)
    for function in walk(parse(text)):
        if not isinstance(function, ast.FunctionDef | ast.ClassDef):
            continue
        match function.body[0]:
            case ast.Expr(value=ast.Constant(value=str()) as node):
                first, *lines = edits.of(node).split("\n")
                summarized = bool(first.strip("rRbBuU\"' "))
                kept = _kept(lines[:-1], names, summarized=summarized)
                if kept != lines[:-1]:
                    edits.put(node, _joined(first, kept, lines[-1]))
    return edits.text()


def _kept(lines: Sequence[str], names: set[str], *, summarized: bool) -> list[str]:
    """Return the lines of a docstring without the paragraphs and entries of lists that tell of
    absent names. A heading without entries goes too. `summarized`: the first line, which is not
    among them, has words.
    """
    kept: list[str] = []
    for number, part in enumerate(_parts(lines)):
        is_summary = not summarized and number == 0
        if is_summary or not _is_foreign("\n".join(part), names):
            kept += part
    lasting: list[str] = []
    for line in reversed(kept):
        following = next((each.strip() for each in reversed(lasting) if each.strip()), "")
        if SECTION.fullmatch(line.strip()) and (not following or SECTION.fullmatch(following)):
            continue
        lasting.append(line)
    return lasting[::-1]


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """Return the paragraphs of a docstring, each with the blank lines before it. An entry of a list
    is a part too, as is a heading.
    """
    parts: list[list[str]] = [[]]
    for line in lines:
        filled = any(each.strip() for each in parts[-1])
        begins = not line.strip() or SECTION.fullmatch(line.strip()) or ENTRY.match(line.strip())
        if filled and (begins or SECTION.fullmatch(parts[-1][-1].strip())):
            parts.append([])
        parts[-1].append(line)
    return parts


def _joined(first: str, kept: Sequence[str], last: str) -> str:
    lines = list(kept)
    while lines and not lines[-1].strip():
        lines.pop()
    if lines or last.strip() not in {'"""', "'''"}:
        return "\n".join([first, *lines, last])
    return f"{first.rstrip()}{last.strip()}"
