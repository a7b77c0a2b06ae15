"""Comments and docstrings of a draft, without text that is useless to a reader of only the pair.

Removed: plans, directives to checkers, commented-out code, and remarks on other machines, on tests,
or on names that the text lacks. Notes on the origin of a text are kept.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence

from curation.source.functions import is_kernel, signature
from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.reading.sentences import without_language

# Comments that are removed: directives to type checkers and linters, TODO notes, and code.
PRAGMA = re.compile(r"#\s*(type:\s*ignore|noqa|pyrefly:|pylint:|pyright:|mypy:|fmt:|ruff:|isort:)")
PLAN = re.compile(r"#\s*(TODO|FIXME|XXX|HACK)\b")
CODE = re.compile(
    r"#\s*(print\(|(import|del|assert) \w|from \S+ import |@\w|(if|with) [^:]*:$"
    r"|for \w+(, \w+)* in [^:]*:$|[\w.]+\.\w+\(.*\)$|\w+(, \w+)* ([-+*/]= |= .*\w\.\w+\())"
)
# Names of code in prose: options such as HAS_BIAS, and names in backticks. Other names may be
# mathematics, or the sizes of a shape.
NAME = re.compile(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b|(?<=`)[A-Za-z]\w+_\w{2,}(?=`)")
ELSEWHERE = re.compile(
    r"\b(Intel|AMD|ROCm|MI[23]\d\d\w?|gfx\d+|XPU|Ascend|Cambricon|MUSA|pytest|unit tests?"
    r"|test_\w+)\b|>>>"
)
ADDRESS = re.compile(r"\bhttps?://\S+")
OF_ORIGIN = re.compile(r"(?i)copyright|licen[sc]e|adapted from|\bhttps?://")
# A first sentence that describes the other side: "Dense reference for add_triton."
OF_A_TEST = re.compile(
    r"^(?P<quotes>\"{3}\s*)[^.\n]*\b(reference|baseline|ground truth)\b[^.\n]*"
    r"(\bfor|\bof|implementation|used|against)\b[^\n]*?\.(\s+|(?=\"{3}))",
    re.I,
)
# Start of the rest of a docstring that can't stand without its first sentence.
FRAGMENT = re.compile(
    r"\"{3}\s*(\"{3}|(Args|Arguments|Parameters|Returns?|Raises|Notes?|Calls|Uses|This)\b)"
)
SECTION = re.compile(
    r"(Args|Arguments|Parameters|Returns?|Raises|Examples?|Shapes?|Notes?|See also|Example usage"
    r"|Usage):{1,2}$"
)
# An entry in a list of parameters: `x (Tensor): …`, `q, k: …` or `x:`.
ENTRY = re.compile(r"`?\*{0,2}([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)`?\s*(\([^:]*\))?\s*:(\s|$)")


def clean_prose(text: str) -> str:
    """Return the module with only those comments and docstrings that are about this module."""
    try:
        names = _names(text)
        written = _with_docstrings(_with_comments(text, names), names)
        parse(written)
    except (*UNREADABLE, tokenize.TokenError):
        return text
    return written


def _names(text: str) -> set[str]:
    """Return the names in the code, and the words in its strings except docstrings."""
    tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    names = {token.string for token in tokens if token.type == tokenize.NAME}
    texts = (t.string for t in tokens if t.type == tokenize.STRING and '"""' not in t.string)
    return names.union(*(re.findall(r"\w+", each) for each in texts))


def _is_foreign(words: str, names: set[str]) -> bool:
    """Return whether words mention other machines, tests, or names that the code does not have."""
    if OF_ORIGIN.search(words):
        return False
    named = NAME.findall(ADDRESS.sub("", words))
    return bool(ELSEWHERE.search(words)) or any(name not in names for name in named)


def _with_comments(text: str, names: set[str]) -> str:
    lines = text.split("\n")
    kernels = {
        number
        for node in walk(parse(text))
        if isinstance(node, ast.FunctionDef) and is_kernel(node)
        for number in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    alone: list[int] = []
    dropped: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number, column = token.start
        if token.type != tokenize.COMMENT:
            continue
        if not lines[number - 1][:column].strip() and not PRAGMA.match(token.string):
            alone.append(number)
        elif any(each.match(token.string) for each in (PRAGMA, PLAN)) or _is_foreign(
            token.string, names
        ):
            lines[number - 1] = lines[number - 1][:column].rstrip()
            dropped |= set() if lines[number - 1] else {number}
    for block in _runs(alone):
        written = [lines[number - 1].strip() for number in block]
        endings = [PLAN] if block[0] in kernels else [PLAN, CODE]
        ends = [n for n, line in enumerate(written) if any(each.match(line) for each in endings)]
        end = min(ends, default=len(block))
        dropped |= set(block[0 if _is_foreign("\n".join(written[:end]), names) else end :])
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in dropped)


def _runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Yield runs of consecutive numbers."""
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _with_docstrings(text: str, names: set[str]) -> str:
    edits = Edits(text)
    for owner in walk(parse(text)):
        if not isinstance(owner, ast.FunctionDef | ast.ClassDef):
            continue
        match owner.body[0]:
            case ast.Expr(value=ast.Constant(value=str()) as node) as statement:
                written = OF_A_TEST.sub(r"\g<quotes>", edits.of(node))
                kept = _docstring(written, owner, names)
                if written != edits.of(node) and FRAGMENT.match(written):
                    edits.drop(statement, alone=len(owner.body) == 1)
                elif kept != edits.of(node):
                    edits.put(node, kept)
    return edits.text()


def _docstring(written: str, owner: ast.FunctionDef | ast.ClassDef, names: set[str]) -> str:
    """Return the source of a docstring without the paragraphs, headings and list entries that are
    useless to its reader. Its first line stays, but does not name a language.
    """
    first, *lines = written.split("\n")
    quote = '"""' if '"""' in first else "'''"
    parameters = _parameters(owner) if isinstance(owner, ast.FunctionDef) else None
    kept: list[list[str]] = []
    heading = ""
    for number, part in enumerate(_parts(lines[:-1])):
        line = next((each for each in part if each.strip()), "")
        if SECTION.fullmatch(line.strip()) or _indent(line) <= _indent(heading):
            heading = line if SECTION.fullmatch(line.strip()) else ""
        listed = heading.lstrip().startswith(("Arg", "Param")) and line != heading
        entry = ENTRY.match(line.strip()) if listed else None
        told = {*re.findall(r"\w+", entry[1])} if entry else set()
        lost = told and parameters is not None and not parameters & told
        is_summary = number == 0 and not first.strip("rRbBuU\"' ")
        if is_summary or not (lost or _is_foreign("\n".join(part), names)):
            kept.append(part)
    filled = [line for part in _without_empty_headings(kept) for line in part]
    while filled and not filled[-1].strip():
        filled.pop()
    last = lines[-1:] if filled or (lines and lines[-1].strip() != quote) else []
    ending = quote if lines and not last else ""
    return "\n".join([f"{without_language(first).rstrip()}{ending}", *filled, *last])


def _parameters(function: ast.FunctionDef) -> set[str]:
    others = (function.args.vararg, function.args.kwarg)
    return {*signature(function.args).names, *(each.arg for each in others if each is not None)}


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """Return the parts of a docstring: paragraphs, headings and list entries, each with the blank
    lines before it. Lines with a larger indentation belong to the entry above.
    """
    parts: list[list[str]] = [[]]
    for line in lines:
        before = next((each for each in parts[-1] if each.strip()), "")
        deeper = ENTRY.match(before.strip()) and _indent(line) > _indent(before)
        starts = SECTION.fullmatch(line.strip()) or (ENTRY.match(line.strip()) and not deeper)
        if before and (not line.strip() or starts or SECTION.fullmatch(before.strip())):
            parts.append([])
        parts[-1].append(line)
    return parts


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_empty_headings(parts: Sequence[list[str]]) -> list[list[str]]:
    kept: list[list[str]] = []
    for part in reversed(parts):
        headed = SECTION.fullmatch("\n".join(part).strip())
        if headed and (not kept or SECTION.fullmatch("\n".join(kept[-1]).strip())):
            continue
        kept.append(part)
    return kept[::-1]
