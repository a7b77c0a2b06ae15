"""Removal of dictionaries of keywords that stay empty: `options = {}` and `f(x, **options)`."""

from __future__ import annotations

import ast
import re

from curation.source.text import Edits, cached, parse, rewrite, walk

ROUNDS = 12
# A comment beside the last argument.
COMMENT = re.compile(r",?[ \t]*#[^\n]*")


@cached
def drop_empty_keywords(text: str) -> str:
    """Return the module whose functions hand over no dictionary that is always empty."""
    return rewrite(text, _once, ROUNDS)


def _once(text: str) -> str | None:
    for function in parse(text).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for statement in function.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[])):
                    calls = _calls_with(function, name)
                    if calls:
                        return _without(text, statement, name, calls)
    return None


def _calls_with(function: ast.FunctionDef, name: str) -> list[ast.Call]:
    """Return the calls that hand over the dictionary, or none if it has another use."""
    uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name]
    calls = [
        node
        for node in walk(function)
        if isinstance(node, ast.Call) and any(_is_it(each, name) for each in node.keywords)
    ]
    return calls if len(uses) == len(calls) + 1 else []


def _is_it(keyword: ast.keyword, name: str) -> bool:
    return keyword.arg is None and isinstance(keyword.value, ast.Name) and keyword.value.id == name


def _without(text: str, statement: ast.stmt, name: str, calls: list[ast.Call]) -> str:
    edits = Edits(text)
    edits.drop_comments(statement)
    edits.drop(statement, alone=False)
    for call in calls:
        given = sorted([*call.args, *call.keywords], key=edits.start)
        gone = next(each for each in call.keywords if _is_it(each, name))
        place = next(number for number, each in enumerate(given) if each is gone)
        end = edits.end(gone)
        rest = text.encode()[end:].decode()
        comment = COMMENT.match(rest)
        if place:
            closing = "," if comment and comment[0].startswith(",") else ""
            end += len(comment[0].encode()) if comment else 0
            edits.replace(edits.end(given[place - 1]), end, closing)
        elif len(given) > 1:
            edits.replace(edits.start(gone), edits.start(given[1]), "")
        else:
            edits.put(gone, "")
    return edits.text()
