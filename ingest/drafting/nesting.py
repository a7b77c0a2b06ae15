"""Writing of a function that only holds and calls another as that function."""

from __future__ import annotations

import ast

from ingest.drafting.edits import Edits, cached, parse, rewrite, walk
from ingest.drafting.wrappers import end_of_heading, passed_on

ROUNDS = 12


@cached
def unnest(text: str) -> str:
    """Return the module whose functions hold the code of the one function that they define, call
    with their own parameters, and return the result of.
    """
    return rewrite(text, _unnested, ROUNDS)


def _unnested(text: str) -> str | None:
    for function in parse(text).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        inner = _only_function(function)
        if inner is None:
            continue
        edits = Edits(text)
        lines = text.split("\n")
        margin = " " * (inner.body[0].col_offset - inner.col_offset)
        body = lines[end_of_heading(inner, lines) : inner.end_lineno]
        moved = [line.removeprefix(margin) for line in body]
        start = edits.start(inner) - inner.col_offset
        edits.replace(start, edits.end(function), "\n".join(moved))
        written = edits.text()
        return written if _same(written, function.name, inner) else None
    return None


def _only_function(function: ast.FunctionDef) -> ast.FunctionDef | None:
    """Return the function that another only calls with its own parameters, by their names."""
    body = [each for each in function.body if not _is_docstring(each)]
    match body:
        case [ast.FunctionDef() as inner, *_] if not inner.decorator_list:
            rest = ast.FunctionDef(**{**vars(function), "body": body[1:]})
        case _:
            return None
    call = passed_on(rest)
    a = inner.args
    if call is None or ast.unparse(call.func) != inner.name or _is_docstring(inner.body[0]):
        return None
    if a.vararg or a.kwarg or a.posonlyargs or a.kwonlyargs or len(call.args) > len(a.args):
        return None
    names = [each.arg for each in a.args]
    given = dict(zip(names, call.args, strict=False))
    given |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    own = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    plain = all(isinstance(v, ast.Name) and v.id == name for name, v in given.items())
    if not plain or set(given) != set(names) or not set(names) <= own:
        return None
    # A name that both functions bind would be another after the change.
    read = {n.id for n in walk(inner) if isinstance(n, ast.Name)}
    if (own - set(names)) & read or inner.name in read:
        return None
    return inner


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _same(text: str, name: str, inner: ast.FunctionDef) -> bool:
    """Return whether the function of a text has the body of the inner function."""
    for node in parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            body = [each for each in node.body if not _is_docstring(each)]
            return list(map(ast.dump, body)) == list(map(ast.dump, inner.body))
    return False
