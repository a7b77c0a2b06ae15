"""Removal of a kernel's heuristics that only ask for an argument which no launch gives.

`"HAS_BIAS": lambda args: args["bias"] is not None` becomes `HAS_BIAS=False` in the launches.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ingest.drafting.call_sites import defaults_of, find_calls, given_to, parameters_of
from ingest.drafting.edits import Edits, cached, parse, rewrite
from ingest.drafting.kernel_parameters import is_kernel

ROUNDS = 40


@cached
def settle_heuristics(text: str) -> str:
    """Return the module whose launches give what their heuristics would find anyhow."""
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
                asked, present = _asked(value)
                if not isinstance(name, str) or not asked or name in given:
                    continue
                if all(_gives_none(call, kernel, asked) for call in launches):
                    return _written(
                        text, decorator, entries, place, launches, f"{name}={not present}"
                    )
    return None


def _dictionaries(kernel: ast.FunctionDef) -> Iterator[tuple[ast.Call, ast.Dict]]:
    """Yield the decorators with dictionaries of heuristics."""
    for decorator in kernel.decorator_list:
        match decorator:
            case ast.Call(func=func, args=[ast.Dict() as entries], keywords=[]) if ast.unparse(
                func
            ).endswith("heuristics"):
                yield decorator, entries


def _asked(value: ast.expr) -> tuple[str, bool]:
    """Return the argument that a heuristic asks for, and whether it is true if that is given."""
    match value:
        case ast.Lambda(
            args=ast.arguments(args=[ast.arg(arg=taken)]),
            body=ast.Compare(
                left=ast.Subscript(value=ast.Name(id=read), slice=ast.Constant(value=str(name))),
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=None)],
            ),
        ) if taken == read:
            return name, isinstance(op, ast.IsNot)
    return "", False


def _gives_none(call: ast.Call, kernel: ast.FunctionDef, name: str) -> bool:
    names = [each.arg for each in parameters_of(kernel)]
    if name not in names:
        return False
    given = given_to(call, names.index(name), name)
    value = (
        given.value if isinstance(given, ast.keyword) else given or defaults_of(kernel).get(name)
    )
    return isinstance(value, ast.Constant) and value.value is None


def _written(
    text: str,
    decorator: ast.Call,
    entries: ast.Dict,
    place: int,
    launches: Sequence[ast.Call],
    added: str,
) -> str:
    """Return the text whose launches give the value of one heuristic, which goes."""
    edits = Edits(text)
    starts = [
        edits.start(key or value) for key, value in zip(entries.keys, entries.values, strict=True)
    ]
    if len(starts) == 1:
        edits.drop_decorator(decorator)
    elif place:
        edits.replace(edits.end(entries.values[place - 1]), edits.end(entries.values[place]), "")
    else:
        edits.replace(starts[0], starts[1], "")
    for call in launches:
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        last = max(given, key=edits.end)
        line = text.splitlines()[last.lineno - 1].encode()
        alone = not line[: last.col_offset].strip()
        between = ",\n" + " " * last.col_offset if alone else ", "
        edits.replace(edits.end(last), edits.end(last), f"{between}{added}")
    return edits.text()
