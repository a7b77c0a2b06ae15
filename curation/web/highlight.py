"""Highlighted source as HTML lines, whose numbers link to the origin.

The page size is bounded for any input. A cut names the number of omitted characters, and links to
the complete text. Invisible characters are boxed: see `curation.characters`.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments import format as formatted
from pygments.formatters import HtmlFormatter

from curation.characters import boxed, has_invisible
from curation.lexer import DOCUMENTED, LEXER, LONGEST, is_readable
from curation.text import pluralize

Address = Callable[[int], str]
# Shared by all texts, because creating it takes as long as formatting a short text.
FORMATTER = HtmlFormatter(nowrap=True)
# Maximum number of lines above a `def` that still appears on the first screen.
SHORT = 14
# Number of lines that a browser scrolls without delay.
MOST_LINES = 5000
LONGEST_LINE = 2000
# Characters of HTML. A character of a real kernel becomes about 5; one of `1+1+1` becomes 25.
MOST_MARKUP = 1_000_000
# Characters of a link. Each line repeats the link, and a path may have 1,000 characters.
LONGEST_ADDRESS = 300
# Operations of `triton.language` in highlighted text, and calls of functions without a dot.
OPERATION = re.compile(r'<span class="(nb nb-(?:Memory|Compute|Program))">(\w+)</span>')
CALLED = re.compile(r'<span class="n">(\w+)</span>(?=<span class="p">[(\[])')
DOCUMENTATION = "https://triton-lang.org/main/python-api/generated/triton.language.{}.html"
# Number of cached results. A page needs each result of its one to four texts several times. More
# would help only if a page is opened again, and one result may have megabytes.
KEPT = 4
NO_NOTES: Mapping[int, str] = {}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a source. A part with a title is folded, unless it is `open`."""

    title: str
    html: SafeString
    open: bool = False


@lru_cache(maxsize=KEPT)
def lines(source: str, plain: bool = False) -> tuple[str, ...]:
    """Return the HTML of each line of a page; no element spans two lines.

    plain: the text is no Python, so it gets no colors.
    """
    source = _with_newlines(source).removesuffix("\n")
    written = source.split("\n")
    html = _highlighted(source, written) if is_readable(source) and not plain else ""
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
    """Return a source with the line ends that Python and the lexer recognize."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _highlighted(source: str, written: Sequence[str]) -> str:
    tokens = LEXER.get_tokens(f"{source}\n")
    if max(map(len, written)) > LONGEST_LINE:
        tokens = _shortened(tokens)
    html: str = formatted(tokens, FORMATTER)
    return OPERATION.sub(_documented, html.removesuffix("\n"))


def _documented(operation: re.Match[str]) -> str:
    """Return an operation of Triton with a link to its documentation.

    The tab key skips the link, because a kernel has dozens of them.
    """
    classes, name = operation.groups()
    if name not in DOCUMENTED:
        return operation[0]
    href = DOCUMENTATION.format(name)
    return f'<a class="{classes}" rel="noreferrer" tabindex="-1" href="{href}">{name}</a>'


def _shortened(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Cut long lines after lexing, so that the following lines keep their colors."""
    column = 0
    for kind, text in tokens:
        parts = []
        for number, part in enumerate(text.split("\n")):
            column = 0 if number else column
            parts.append(part[: max(LONGEST_LINE - column, 0)])
            column += len(part)
        yield kind, "\n".join(parts)


def _more(count: int, thing: str) -> str:
    """Return the mark of a cut, or ""; `linked` adds its URL."""
    return f'<a class="cut">… {pluralize(count, f"more {thing}")}</a>' if count > 0 else ""


def linked(html: str, whole: str) -> str:
    """Return a line with its mark of a cut, if any, linked to the complete text."""
    return html.replace('<a class="cut"', f'<a class="cut" href="{escape(whole)}"')


def table(
    source: str,
    start: int = 1,
    end: int | None = None,
    first: int = 1,
    url: Address | None = None,
    whole: str = "",
    anchor: str = "L",
    plain: bool = False,
    file: str = "",
    notes: Mapping[int, str] = NO_NOTES,
    name: str = "",
) -> SafeString:
    """Return lines `start` to `end`, numbered from `first`.

    url: function that returns the link of a line number.
    whole: the URL of the complete text, for lines that are cut or omitted.
    anchor: prefix of the ids of its lines, which must be unique on a page.
    plain: no colors and no links.
    file: the column of the text, if people may comment on it.
    notes: HTML to insert below lines, by their number from 1.
    """
    shown = lines(source, plain)
    definitions = {} if plain else {each.name: each.line for each in functions(source) or ()}
    rows = []
    for number, html in enumerate(shown[start - 1 : end], first + start - 1):
        target = url(number) if url else ""
        if not 0 < len(target) <= LONGEST_ADDRESS:
            link = f' href="#{anchor}{number}"'
        else:
            link = f' href="{escape(target)}" rel="noreferrer"'
        if definitions:
            html = CALLED.sub(partial(_linked_call, definitions, number, first, anchor), html)
        rows.append(
            f'<tr id="{anchor}{number}"><th scope="row"><a{link} tabindex="-1">{number}</a></th>'
            f'<td><code dir="ltr">{html or " "}</code></td></tr>'
        )
        if note := notes.get(number - first + 1):
            rows.append(f'<tr class="note"><td class="no"></td><td>{note}</td></tr>')
    if end is None or end >= len(shown):
        left = _with_newlines(source).removesuffix("\n").count("\n") + 1 - len(shown)
        rest = _more(left, "line")
        rows.append(f'<tr><td class="no"></td><td>{rest}</td></tr>' if rest else "")
    body = linked("".join(rows), whole)
    data = f' data-file="{escape(file)}" data-first="{first}"' if file else ""
    data += f' id="{name}"' if name else ""
    return mark_safe(f'<table class="code"{data}>{body}</table>')  # noqa: S308 - escaped above


def _linked_call(
    definitions: dict[str, int], number: int, first: int, anchor: str, call: re.Match[str]
) -> str:
    """Return a call with a link to the line that defines the function, if the text does."""
    if call[1] not in definitions or (line := definitions[call[1]] + first - 1) == number:
        return call[0]
    return f'<a class="n" href="#{anchor}{line}" tabindex="-1">{call[1]}</a>'


def kernel_first(source: str, name: str, rest: str, **shown: Any) -> list[Section]:
    """Return the parts of a unit: the function `name`, then a folded part with the title `rest`."""
    own = next((each for each in functions(source) or () if each.name == last_name(name)), None)
    total = len(lines(source))
    if own is None or own.end > total or not (helpers(source, name) or own.line > SHORT):
        return [Section("", table(source, **shown))]
    others = [(1, own.start - 1), (own.end + 1, total)]
    tables = [table(source, start, end, **shown) for start, end in others if start <= end]
    noted = any(not own.start <= number <= own.end for number in shown.get("notes", ()))
    html = mark_safe("".join(tables))  # noqa: S308 - tables
    kernel = _opened_at(source, own, own.start, own.end, **shown)
    return [*kernel, *([Section(rest, html, noted)] if tables else [])]


def opened_at_kernel(source: str, **shown: Any) -> list[Section]:
    """Return the parts of a file. Many lines above its first kernel are folded."""
    kernel = next((each for each in functions(source) or () if each.kernel), None)
    if kernel is None or kernel.line > len(lines(source)):
        return [Section("", table(source, **shown))]
    return _opened_at(source, kernel, 1, None, **shown)


def _opened_at(
    source: str, function: "Function", start: int, end: int | None, **shown: Any
) -> list[Section]:
    """Return lines `start` to `end`. If the `def` is far below `start`, lines above are folded.

    They may be a decorator with fifty configurations.
    """
    if function.line - start < SHORT:
        return [Section("", table(source, start, end, **shown))]
    at = function.start if function.line - function.start < SHORT else function.line
    above = table(source, start, at - 1, **shown)
    noted = any(start <= number < at for number in shown.get("notes", ()))
    title = f"{pluralize(at - start, 'line')} above {function.name}"
    return [Section(title, above, noted), Section("", table(source, at, end, **shown))]


@dataclass(frozen=True, slots=True)
class Function:
    """A function or class of a text: its first line with decorators, its `def`, its last line."""

    name: str
    start: int
    line: int
    end: int
    kernel: bool
    """True if Triton compiles it and no other such function uses its name."""


def last_name(qualname: str) -> str:
    return qualname.rpartition(".")[2]


def helpers(source: str, name: str) -> tuple[Function, ...] | None:
    """Return all functions except `name`, or None for a text that is too long to parse."""
    every = functions(source)
    return every and tuple(each for each in every if each.name != last_name(name))


def taken(source: str, name: str, files: Sequence[str]) -> str:
    """Return the number of a kernel's helpers, and their files, in words."""
    beside = helpers(source, name)
    if not beside:
        return ""
    count = pluralize(len(beside), "helper")
    return f"{count} from {pluralize(len(files), 'file')}: {', '.join(files)}" if files else count


@lru_cache(maxsize=KEPT)
def functions(source: str) -> tuple[Function, ...] | None:
    """Return the functions and classes of a module, in order.

    Return None for a text over 200,000 characters, because parsing 2 MB takes seconds.
    """
    if len(source) > LONGEST:
        return None
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    definitions = list(_definitions(body))
    jitted = [node for node in definitions if "jit" in _names(node.decorator_list)]
    named = {name for node in jitted for name in _names(node.body) if name != node.name}
    return tuple(
        Function(
            node.name,
            min([node.lineno, *(each.lineno for each in node.decorator_list)]),
            node.lineno,
            node.end_lineno or node.lineno,
            node in jitted and node.name not in named,
        )
        for node in definitions
    )


def _definitions(body: Iterable[ast.AST]) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Yield the functions and classes of a module, also those inside `if` and `try`."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node
        elif isinstance(node, ast.stmt | ast.ExceptHandler):
            yield from _definitions(ast.iter_child_nodes(node))


def _names(trees: Iterable[ast.AST]) -> set[str]:
    """Return the names and attributes in syntax trees."""
    parts = (part for tree in trees for part in ast.walk(tree))
    return {getattr(part, "id", "") or getattr(part, "attr", "") for part in parts} - {""}
