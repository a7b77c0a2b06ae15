"""Source text as HTML, line by line: highlighted by classes, each number a link to its origin.

The page stays of a bounded size whatever an author writes. A cut names what it left out, and leads
to the whole text. Invisible characters are boxes: see `curation.characters`.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from sys import getsizeof
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments import format as formatted
from pygments.formatters import HtmlFormatter

from curation.characters import boxed, has_invisible
from curation.review.lexer import LEXER, LONGEST, is_readable
from curation.review.text_cache import TextCache
from curation.text import pluralize

Address = Callable[[int], str]
# Made once: a formatter works out a style of its own, which takes as long as a short source.
FORMATTER = HtmlFormatter(nowrap=True)
# What a browser still scrolls through without complaint.
MOST_LINES = 5000
LONGEST_LINE = 2000
# One character of a real kernel becomes about 5 of HTML; one of `1+1+1` becomes 25.
MOST_MARKUP = 1_000_000
# A link at each line repeats the path, which has up to 1,000 characters.
LONGEST_ADDRESS = 300
# In each process.
KEPT_BYTES = 48_000_000


@dataclass(frozen=True, slots=True)
class Section:
    """Lines `start` to `end` of a source; a helper has a title and can be folded away."""

    title: str
    start: int
    end: int
    html: SafeString


def nowhere(line: int) -> str:
    return ""


def _lines(source: str) -> tuple[str, ...]:
    """Return the HTML of each line that a page shows; no element of it spans two."""
    source = _with_newlines(source).removesuffix("\n")
    written = source.split("\n")
    html = _highlighted(source, written) if is_readable(source) else ""
    if not html or len(html) > MOST_MARKUP:
        html = "\n".join(escape(line[:LONGEST_LINE]) for line in written[:MOST_LINES])
    if has_invisible(source):
        html = boxed(html)
    every = html.split("\n")[:MOST_LINES]
    for number, line in enumerate(written[: len(every)]):
        if len(line) > LONGEST_LINE:
            every[number] += _more(len(line) - LONGEST_LINE, "character")
    room = sum(total <= MOST_MARKUP for total in accumulate(map(len, every)))
    return tuple(every[:room])


def _with_newlines(source: str) -> str:
    """Return a source with the line ends that Python and the lexer see."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _highlighted(source: str, written: Sequence[str]) -> str:
    tokens = LEXER.get_tokens(f"{source}\n")
    if max(map(len, written)) > LONGEST_LINE:
        tokens = _shortened(tokens)
    html: str = formatted(tokens, FORMATTER)
    return html.removesuffix("\n")


def _shortened(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Cut each line. The lexer has read all of it: what follows is still in its colors."""
    column = 0
    for kind, text in tokens:
        kept = []
        for number, part in enumerate(text.split("\n")):
            column = 0 if number else column
            kept.append(part[: max(LONGEST_LINE - column, 0)])
            column += len(part)
        yield kind, "\n".join(kept)


def _more(count: int, thing: str) -> str:
    """Return the mark of a cut, or ""; `linked` gives it its address."""
    return f'<a class="cut">… {pluralize(count, f"more {thing}")}</a>' if count > 0 else ""


def linked(html: str, whole: str) -> str:
    """Return a line whose mark of a cut, if any, leads to the whole text."""
    return html.replace('<a class="cut"', f'<a class="cut" href="{escape(whole)}"')


# 70 ms for 1,500 lines is too long for each look at a page; a source never changes.
lines = TextCache(_lines, lambda found: sum(map(getsizeof, found)), KEPT_BYTES)


def table(
    source: str,
    start: int = 1,
    end: int | None = None,
    first: int = 1,
    url: Address = nowhere,
    whole: str = "",
) -> SafeString:
    """Return lines `start` to `end`, numbered from `first`.

    url: the address that the number of a line leads to.
    whole: the address of the whole text, for lines that are cut or left out.
    """
    shown = lines(source)
    rows = []
    for number, html in enumerate(shown[start - 1 : end], first + start - 1):
        target = url(number)
        if not 0 < len(target) <= LONGEST_ADDRESS:
            link = f' href="#L{number}"'
        else:
            link = f' href="{escape(target)}" rel="noreferrer"'
        rows.append(
            f'<tr id="L{number}"><th scope="row"><a{link}>{number}</a></th>'
            f'<td><code dir="ltr">{html or " "}</code></td></tr>'
        )
    if end is None or end >= len(shown):
        left = _with_newlines(source).removesuffix("\n").count("\n") + 1 - len(shown)
        rest = _more(left, "line")
        rows.append(f'<tr><td class="no"></td><td>{rest}</td></tr>' if rest else "")
    body = linked("".join(rows), whole)
    return mark_safe(f'<table class="code">{body}</table>')  # noqa: S308 - escaped above


def sections(source: str, name: str, url: Address = nowhere, whole: str = "") -> list[Section]:
    """Return a unit in parts: what comes before, each helper, and the function `name` itself."""
    return [
        Section(title, start, end, table(source, start, end, url=url, whole=whole))
        for title, start, end in _parts(source, name)
    ]


def _parts(source: str, name: str) -> Iterator[tuple[str, int, int]]:
    total = len(lines(source))
    at = 1
    written = _with_newlines(source).split("\n")
    for helper, start, end in helpers(source, name) or ():
        if end > total:
            break
        while end < total and not written[end].strip():
            end += 1
        if start > at:
            yield "", at, start - 1
        yield helper, start, end
        at = end + 1
    if at <= total:
        yield "", at, total


def _helpers(source: str, name: str) -> tuple[tuple[str, int, int], ...] | None:
    """Return what a unit takes along for its function `name`: the name and the lines of each.

    Return None for a text over 200,000 characters: to parse 2 MB takes seconds.
    """
    return tuple(_definitions(source, name)) if len(source) <= LONGEST else None


helpers = TextCache(_helpers, getsizeof, KEPT_BYTES // 6)


def _definitions(source: str, name: str) -> Iterator[tuple[str, int, int]]:
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
    """Return the first and last line of `whole` that hold `part` as it is, or None."""
    part = part.rstrip("\n")
    at = f"\n{whole}\n".find(f"\n{part}\n")
    if at < 0:
        return None
    start = whole.count("\n", 0, at) + 1
    return start, start + part.count("\n")
