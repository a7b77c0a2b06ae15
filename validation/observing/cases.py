"""Smaller sizes in the text of a test: in its cases, and in the constants of `make_inputs`."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from curation.source.text import Edits, parse
from validation.observing.edits import copied
from validation.observing.sizes import find_constants, find_inputs
from validation.observing.trials import Trial


def with_sizes(test: str, rows: Sequence[Mapping[str, Any]], constants: Mapping[str, int]) -> str:
    """Return the test with the cases `rows`. Cases that became equal to another are dropped."""
    edits = Edits(test)
    for row, sizes in zip(_cases(test), rows, strict=True):
        for key, value in zip(row.keys, row.values, strict=True):
            if isinstance(key, ast.Constant):
                _put(value, sizes[str(key.value)], edits)
    for name, node in find_constants(find_inputs(test)):
        _put(node, constants[name], edits)
    return _without_equal_cases(edits.text())


def with_more_cases(test: str, trials: Sequence[Trial]) -> str:
    """Return the test with a new case for each trial: a case with other sizes and another seed."""
    rows, edits = _cases(test), Edits(test)
    for number, trial in enumerate(trials if rows else ()):
        changed, base = Edits(test), rows[trial["of"]]
        sizes = {"seed": len(rows) + number, **trial["sizes"]}
        for key, value in zip(base.keys, base.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in sizes:
                _put(value, sizes[key.value], changed)
        written = copied(test, changed, edits.start(base), edits.end(base))
        place = edits.end(rows[-1])
        edits.replace(place, place, f",\n    {written}")
    return edits.text()


def _put(node: ast.expr, value: Any, edits: Edits) -> None:
    match node, value:
        case ast.Tuple(elts=elements) | ast.List(elts=elements), list():
            for element, each in zip(elements, value, strict=True):
                _put(element, each, edits)
        case ast.Constant(value=int(size)), int() if size != value:
            edits.put(node, str(value))


def _cases(test: str) -> list[ast.Dict]:
    for node in parse(test).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="CASES")], value=ast.List(elts=rows)):
                return [row for row in rows if isinstance(row, ast.Dict)]
    return []


def _without_equal_cases(test: str) -> str:
    """Return the test without each case that differs from another case only in the seed."""
    rows = _cases(test)
    kinds = [
        str([ast.dump(value) for key, value in pairs if getattr(key, "value", "") != "seed"])
        for pairs in (zip(row.keys, row.values, strict=True) for row in rows)
    ]
    edits = Edits(test)
    edits.drop_among(rows, [row for n, row in enumerate(rows) if kinds[n] in kinds[:n]])
    return edits.text()
