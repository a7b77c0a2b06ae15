"""Removal of a kernel's heuristics that only ask whether an argument is given.

`"HAS_BIAS": lambda args: args["bias"] is not None` becomes `HAS_BIAS=False` in a launch that gives
None, and `HAS_BIAS=bias is not None` in one that may give it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ingest.drafting.call_sites import defaults_of, find_calls, given_to, parameters_of
from ingest.drafting.edits import Edits, cached, parse, rewrite, walk
from ingest.drafting.folding import fold_function
from ingest.drafting.kernel_parameters import is_kernel

ROUNDS = 40


@cached
def settle_heuristics(text: str) -> str:
    """Return the module whose launches say whether arguments are given."""
    return rewrite(text, _once, ROUNDS) if "heuristics" in text else text


def _once(text: str) -> str | None:
    tree = parse(text)
    for kernel in tree.body:
        if not isinstance(kernel, ast.FunctionDef) or not is_kernel(kernel):
            continue
        launches = find_calls(tree, kernel.name)
        given = [each.arg for call in launches for each in call.keywords]
        if not launches or None in given:
            continue
        for decorator, entries in _dictionaries(kernel):
            for place, (key, value) in enumerate(zip(entries.keys, entries.values, strict=True)):
                name = key.value if isinstance(key, ast.Constant) else None
                asked, operator = _asked(value)
                if not isinstance(name, str) or not asked or name in given:
                    continue
                arguments = [_given(call, kernel, asked) for call in launches]
                if not all(isinstance(each, ast.Name | ast.Constant) for each in arguments):
                    continue
                added = [f"{name}={ast.unparse(a)} {operator} None" for a in arguments if a]
                return _written(text, decorator, entries, place, launches, added)
    return None


def _dictionaries(kernel: ast.FunctionDef) -> Iterator[tuple[ast.Call, ast.Dict]]:
    """Yield the decorators with dictionaries of heuristics."""
    for decorator in kernel.decorator_list:
        match decorator:
            case ast.Call(func=func, args=[ast.Dict() as entries], keywords=[]) if ast.unparse(
                func
            ).endswith("heuristics"):
                yield decorator, entries


def _asked(value: ast.expr) -> tuple[str, str]:
    """Return the argument that a heuristic compares with None, and by which operator."""
    match value:
        case ast.Lambda(
            args=ast.arguments(args=[ast.arg(arg=taken)]),
            body=ast.Compare(
                left=ast.Subscript(value=ast.Name(id=read), slice=ast.Constant(value=str(name))),
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=None)],
            ),
        ) if taken == read:
            return name, "is" if isinstance(op, ast.Is) else "is not"
    return "", ""


def _given(call: ast.Call, kernel: ast.FunctionDef, name: str) -> ast.expr | None:
    """Return what a launch gives to a parameter, or its default."""
    names = [each.arg for each in parameters_of(kernel)]
    if name not in names:
        return None
    given = given_to(call, names.index(name), name)
    return given.value if isinstance(given, ast.keyword) else given or defaults_of(kernel).get(name)


def _written(
    text: str,
    decorator: ast.Call,
    entries: ast.Dict,
    place: int,
    launches: Sequence[ast.Call],
    added: Sequence[str],
) -> str:
    """Return the text whose launches give what one heuristic found. Functions whose arguments are
    certain give constants.
    """
    edits = Edits(text)
    pairs = zip(entries.keys, entries.values, strict=True)
    starts = [edits.start(key or value) for key, value in pairs]
    if len(starts) == 1:
        edits.drop_decorator(decorator)
    elif place:
        edits.replace(edits.end(entries.values[place - 1]), edits.end(entries.values[place]), "")
    else:
        edits.replace(starts[0], starts[1], "")
    for call, argument in zip(launches, added, strict=True):
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        last = max(given, key=edits.end)
        line = text.splitlines()[last.lineno - 1].encode()
        alone = not line[: last.col_offset].strip()
        between = ",\n" + " " * last.col_offset if alone else ", "
        edits.replace(edits.end(last), edits.end(last), f"{between}{argument}")
    written = edits.text()
    for function in parse(text).body:
        launching = any(node in launches for node in walk(function))
        if launching and isinstance(function, ast.FunctionDef):
            written = fold_function(written, function.name, {})
    return written
