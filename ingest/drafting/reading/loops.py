"""Conversion of a test's loops: over written values to parameters, and for timing to one call.

`for n in [16, 61]: …` around a launch and its comparison is converted to
`@pytest.mark.parametrize("n", [16, 61])`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from curation.source.functions import loaded_names, signature, stored_names
from ingest.drafting.reading.bounded import NotPlain
from ingest.drafting.reading.comparisons import find_comparisons, peel
from ingest.drafting.reading.parameter_values import Evaluator, Opaque

# Maximum loops of a test that are read.
MOST_LOOPS = 6
# Maximum values of a loop. A longer list contains data instead of cases.
MOST_VALUES = 500

Function = ast.FunctionDef
Launches = Callable[[ast.AST], bool]


def unroll_loops(function: Function, launches: Launches, evaluator: Evaluator) -> list[Function]:
    """Return the test, or one test for each of its loops with a launch and a comparison."""
    function = _with_body(function, compare_whole(drop_repeats(function.body)))
    tests = list(islice(_lifted(function, launches, evaluator), MOST_LOOPS))
    return tests or [function]


def drop_repeats(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements with one turn of each loop that only repeats calls, as for timing."""
    kept: list[ast.stmt] = []
    for statement in body:
        match statement:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"))):
                calls = all(isinstance(each, ast.Expr) for each in statement.body)
                if calls and not any(name in loaded_names(each) for each in statement.body):
                    texts = {ast.unparse(each) for each in kept}
                    kept += [each for each in statement.body if ast.unparse(each) not in texts]
                    continue
        kept.append(statement)
    return kept


def compare_whole(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements with comparisons of complete results instead of loops that only compare
    their parts, one part after another.
    """
    kept: list[ast.stmt] = []
    for statement in body:
        parts = _parts(statement) if isinstance(statement, ast.For) else None
        if parts is None or not isinstance(statement, ast.For):
            kept.append(statement)
            continue
        whole = [parts.visit(copy.deepcopy(each)) for each in statement.body]
        turning = {*_targets(statement.target)}
        if any(turning & loaded_names(each) for each in whole):
            kept.append(statement)
        else:
            kept += [each for each in whole if isinstance(each, ast.stmt)]
    return kept


def _parts(loop: ast.For) -> _Whole | None:
    """Return the replacement of parts by complete results for a loop, or None for other loops."""
    if any(isinstance(each, ast.Assign | ast.AugAssign) for each in loop.body):
        return None
    if not _compares(loop.body) or loop.orelse:
        return None
    match loop:
        case ast.For(
            target=ast.Tuple(elts=targets), iter=ast.Call(func=ast.Name(id="zip"), args=answers)
        ) if len(targets) == len(answers):
            names = [each.id for each in targets if isinstance(each, ast.Name)]
            if len(names) == len(targets):
                return _Whole(dict(zip(names, answers, strict=True)), "")
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[_])):
            made = list(find_comparisons(loop.body))
            sides = [peel(side) for each in made for side in (each.left, each.right)]
            return _Whole({}, name) if all(_is_part(side, name) for side in sides) else None
    return None


def _is_part(node: ast.expr, index: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(), slice=ast.Name(id=name)):
            return name == index
    return False


class _Whole(ast.NodeTransformer):
    """Replacement of parts: `a` by `x` in `for a in x`, and `x[i]` by `x`."""

    def __init__(self, names: dict[str, ast.expr], index: str) -> None:
        self._names, self._index = names, index

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._names.get(node.id, node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Subscript(value=ast.Name() as value, slice=ast.Name(id=name)):
                return value if name == self._index else node
        return node


def _lifted(function: Function, launches: Launches, evaluator: Evaluator) -> Iterator[Function]:
    for place, statement in enumerate(function.body):
        if not isinstance(statement, ast.For):
            continue
        if not _compares([statement]) or not launches(statement):
            continue
        before = [each for each in function.body[:place] if not _compares([each])]
        made = _with_body(function, [*before, *statement.body])
        values = _values(statement, before, function, evaluator)
        if values is None:
            continue
        names = _targets(statement.target)
        mark = ast.parse("pytest.mark.parametrize", mode="eval").body
        decorator = ast.Call(mark, [ast.Constant(", ".join(names)), values], [])
        made.decorator_list = [*function.decorator_list, decorator]
        parameters = [*map(ast.arg, names), *function.args.args]
        made.args = ast.arguments(**{**vars(function.args), "args": parameters})
        yield from unroll_loops(ast.fix_missing_locations(made), launches, evaluator)


def _with_body(function: Function, body: list[ast.stmt]) -> Function:
    return ast.FunctionDef(**{**vars(function), "body": body})


def _compares(body: Sequence[ast.stmt]) -> bool:
    return next(find_comparisons(body), None) is not None


def _targets(target: ast.expr) -> list[str]:
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return [each.id for each in parts if isinstance(each, ast.Name)]


def _values(
    loop: ast.For, before: Sequence[ast.stmt], function: Function, evaluator: Evaluator
) -> ast.expr | None:
    """Return the expression of the values of a loop, or None if they depend on more than the file.
    A list that the test binds before the loop is treated as if written in the loop.
    """
    names = _targets(loop.target)
    parts = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    local = {*signature(function.args).names}
    local |= stored_names(ast.If(ast.Constant(True), [*before, ast.Pass()], []))
    if len(names) != len(parts) or local & {*names}:
        return None
    values = loop.iter
    if isinstance(values, ast.Name) and values.id in local:
        bound = [
            statement.value
            for statement in before
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == values.id
        ]
        if len(bound) != 1:
            return None
        values = bound[0]
    if loaded_names(values) & local:
        return None
    try:
        known = evaluator.value(values)
    except NotPlain:
        return None
    if isinstance(known, Opaque) or not isinstance(known, list | tuple):
        return None
    return values if 0 < len(known) <= MOST_VALUES else None
