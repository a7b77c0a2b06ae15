"""Removal of comments that tell a reader of a pair nothing: code, plans, and words to checkers."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator, Sequence

from curation.source.functions import is_kernel
from curation.source.text import UNREADABLE, parse, walk

# Statements that do not read like a sentence.
CODE = (ast.Delete, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AugAssign)
# Words to a checker of types or style.
PRAGMA = re.compile(
    r"[ \t]*#\s*(type:\s*ignore|noqa|pyrefly:|pylint:|pyright:|mypy:|fmt:|ruff:|isort:|yapf:).*"
)
# A note of what its author means to do.
PLAN = re.compile(r"#\s*(TODO|FIXME|XXX|HACK)\b")


def clean_comments(text: str) -> str:
    """Return the text without comments that are for its author alone.

    Code in comments goes from host code, from the first line of each block. Kernels keep theirs.
    """
    try:
        lines = text.split("\n")
        kernels = {
            line
            for node in walk(parse(text))
            if isinstance(node, ast.FunctionDef) and is_kernel(node)
            for line in range(node.lineno, (node.end_lineno or 0) + 1)
        }
        comments = [
            token
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT
        ]
    except (*UNREADABLE, tokenize.TokenError):
        return text
    dropped: set[int] = set()
    own = own_lines(text)
    for block in runs(own):
        written = [lines[number - 1].strip() for number in block]
        plan = next((n for n, line in enumerate(written) if PLAN.match(line)), len(block))
        dropped |= set(block[plan:])
    for block in runs([number for number in own if number not in kernels]):
        written = [lines[number - 1].strip().removeprefix("#") for number in block]
        dropped |= set(block[: _count_code(written)])
    for token in comments:
        number, column = token.start
        before = lines[number - 1][:column]
        if PRAGMA.fullmatch(token.string) or (before.strip() and PLAN.match(token.string)):
            lines[number - 1] = before.rstrip()
            dropped |= set() if before.strip() else {number}
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in dropped)


def own_lines(text: str) -> list[int]:
    """Return the numbers of the lines that hold a comment alone."""
    return [
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#")
    ]


def runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Yield runs of successive numbers."""
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _count_code(comment: Sequence[str]) -> int:
    """Return how many lines at the start of a comment are code."""
    for count in range(len(comment), 0, -1):
        if _is_code(textwrap.dedent("\n".join(comment[:count]))):
            return count
    return 0


def _is_code(text: str) -> bool:
    try:
        body = parse(text).body
    except UNREADABLE:
        if not text.startswith("@"):
            return False
        try:
            return bool(parse(f"{text}\ndef decorated(): ...").body)
        except UNREADABLE:
            return False
    return bool(body) and all(_is_no_sentence(each) for each in body)


def _is_no_sentence(statement: ast.stmt) -> bool:
    """Return whether a statement is code, not a formula or words that read like code."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name == "print"
        case ast.Expr(value=ast.Call(func=ast.Attribute())):
            return True
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            calls = [node for node in walk(value) if isinstance(node, ast.Call)]
            own = any(isinstance(n, ast.Name) and n.id == name for n in walk(value))
            return own or any(isinstance(call.func, ast.Attribute) for call in calls)
        case ast.If() | ast.For() | ast.With():
            return all(map(_is_no_sentence, statement.body))
        case ast.Assert(test=test):
            return not isinstance(test, ast.Name)
    return isinstance(statement, CODE)
