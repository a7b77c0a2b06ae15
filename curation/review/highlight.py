"""Source text as HTML, line by line: highlighted by classes, each number a link to its origin."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter

from curation.review.lexer import QuickPythonLexer

Address = Callable[[int], str]
# Made once: a formatter works out a style of its own, which takes as long as a short source.
LEXER = QuickPythonLexer(stripnl=False, ensurenl=True)
FORMATTER = HtmlFormatter(nowrap=True)
# What a browser still scrolls through without complaint.
MOST_LINES = 5000


@dataclass(frozen=True, slots=True)
class Section:
    """Lines `start` to `end` of a source; a helper has a title and can be folded away."""

    title: str
    start: int
    end: int
    html: SafeString


def nowhere(line: int) -> str:
    return ""


# 70 ms for 1,500 lines is too long for each look at a page; a source never changes.
@lru_cache(maxsize=1024)
def lines(source: str) -> tuple[str, ...]:
    """The HTML of each line; no element of it spans two."""
    html = highlight(source, LEXER, FORMATTER)
    return tuple(html.split("\n")[:-1])


def table(
    source: str, start: int = 1, end: int | None = None, first: int = 1, url: Address = nowhere
) -> SafeString:
    """Lines `start` to `end`, numbered from `first`; `url` says where a number leads."""
    shown = lines(source)[start - 1 : end][:MOST_LINES]
    rows = []
    for offset, html in enumerate(shown):
        number = first + start - 1 + offset
        target = url(number)
        link = f' href="{escape(target)}" rel="noreferrer"' if target else f' href="#L{number}"'
        rows.append(
            f'<tr id="L{number}"><th scope="row"><a{link}>{number}</a></th>'
            f"<td><code>{html or ' '}</code></td></tr>"
        )
    return mark_safe(f'<table class="code">{"".join(rows)}</table>')  # noqa: S308 - escaped above


def sections(source: str, name: str, url: Address = nowhere) -> list[Section]:
    """A unit in parts: what comes before, each helper, and the function `name` itself."""
    return [
        Section(title, start, end, table(source, start, end, url=url))
        for title, start, end in _parts(source, name)
    ]


@lru_cache(maxsize=1024)
def _parts(source: str, name: str) -> tuple[tuple[str, int, int], ...]:
    total = len(lines(source))
    parts: list[tuple[str, int, int]] = []
    at = 1
    written = source.split("\n")
    for helper, start, end in helpers(source, name):
        while end < total and not written[end].strip():
            end += 1
        if start > at:
            parts.append(("", at, start - 1))
        parts.append((helper, start, end))
        at = end + 1
    if at <= total:
        parts.append(("", at, total))
    return tuple(parts)


@lru_cache(maxsize=1024)
def helpers(source: str, name: str) -> tuple[tuple[str, int, int], ...]:
    """What a unit takes along for its function `name`: the name and the lines of each."""
    return tuple(_helpers(source, name))


def _helpers(source: str, name: str) -> Iterator[tuple[str, int, int]]:
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    after = 0
    own = name.rpartition(".")[2]
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name != own:
            start = min([node.lineno, *(line.lineno for line in node.decorator_list)])
            if start > after:
                yield node.name, start, node.end_lineno or start
        after = node.end_lineno or node.lineno


def place_of(part: str, whole: str) -> tuple[int, int] | None:
    """The first and last line of `whole` that hold `part` as it is."""
    wanted, all_lines = part.rstrip("\n").split("\n"), whole.split("\n")
    for start in _starts(all_lines, wanted[0]):
        if all_lines[start : start + len(wanted)] == wanted:
            return start + 1, start + len(wanted)
    return None


def _starts(all_lines: Sequence[str], first: str) -> Iterator[int]:
    return (number for number, line in enumerate(all_lines) if line == first)
