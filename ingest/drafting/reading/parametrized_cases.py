"""Choice of a draft's cases from the `parametrize` decorators of a test."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.source.functions import signature
from ingest.drafting.reading.bounded import NotPlain
from ingest.drafting.reading.choosing import Row, choose_rows, integers, is_odd, is_size
from ingest.drafting.reading.parameter_values import DtypeName, Evaluator, Opaque

MOST_ROWS = 2_000

COMPILED = re.compile(r"(use_|torch_|with_)?compiled?")
"""Names of parameters that choose whether torch compiles the launcher. No result depends on it."""
UNWANTED = re.compile(r"torch\.(c(half|float|double)\b|complex\d+|(scalar_)?tensor\()")
IN_PLACE = re.compile(r"in_?place", re.I)
GIVEN = {"device", "self", "request"}
"""Parameters that are never part of a case."""


@dataclass(frozen=True, slots=True)
class Cases:
    rows: tuple[Row, ...]
    """Values of each case. They are plain values or `DtypeName`s."""
    bound: Mapping[str, str]
    """Parameters without a plain value, each with the expression that replaces it."""
    fixed: tuple[str, ...]
    """Sizes for which the author's cases never have an odd value."""

    @property
    def dtypes(self) -> dict[str, str]:
        """Return the key of each parameter that is a dtype. A single one has the key `dtype`."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        kinds = {name: [row.get(name) for row in self.rows] for name in names}
        typed = [n for n in names if any(isinstance(each, DtypeName) for each in kinds[n])]
        floats = all(
            isinstance(v, DtypeName) and "float" in v.name for n in typed for v in kinds[n]
        )
        alone = floats and len(typed) == 1 and "dtype" not in names
        return {name: "dtype" if alone else name for name in typed}


class NoCases(Exception):
    """The values of a parameter are unknown. The message is a sentence for a person."""


def cases(
    function: ast.FunctionDef,
    evaluator: Evaluator,
    calls: Sequence[ast.Call] = (),
    conditions: Sequence[ast.expr] = (),
) -> Cases:
    """Return the cases of a test.

    `calls`: calls of the function at its file's top level, for a function without decorators.
        `conditions`: rows for which one of them is false are left out.
    """
    parameters = [name for name in _parameters(function) if name not in GIVEN]
    axes = [*_axes(function, evaluator)] or _called(parameters, evaluator, calls)
    given = {name for names, _ in axes for name in names}
    defaults = _defaults(function, evaluator)
    unknown = [name for name in parameters if name not in given | defaults.keys()]
    if not axes and (usual := usual_rows(unknown)):
        axes.append((tuple(unknown), usual))
        given |= {*unknown}
    for name in parameters:
        if name not in given and name in defaults:
            axes.append(((name,), [(defaults[name],)]))
        elif name not in given:
            raise NoCases(f"Nothing says which values the parameter {name} of the test takes.")
    rows = list(_product(axes))
    bound: dict[str, str] = {}
    for name in dict.fromkeys(n for names, _ in axes for n in names):
        rows = _bind(rows, name, bound)
    # Leave out in-place rows: the sides of a pair do not change their inputs.
    rows = [
        row for row in rows if not any(row[n] is True for n in row if IN_PLACE.search(n))
    ] or rows
    rows = _without_compilation(rows, bound)
    skipping = _skips(function)
    skipping += [ast.UnaryOp(ast.Not(), condition) for condition in conditions]
    rows = [row for row in rows if not _is_skipped(skipping, row, evaluator)] or rows
    if not rows:
        raise NoCases("The test is given no values at all.")
    return Cases(tuple(choose_rows(rows)), bound, _fixed(rows))


def _parameters(function: ast.FunctionDef) -> list[str]:
    return list(signature(function.args).names)


def _defaults(function: ast.FunctionDef, evaluator: Evaluator) -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    for name, default in signature(function.args).defaults.items():
        try:
            defaults[name] = evaluator.value(default)
        except NotPlain:
            defaults[name] = Opaque(ast.unparse(default))
    return defaults


Axis = tuple[tuple[str, ...], list[tuple[Any, ...]]]


def _axes(function: ast.FunctionDef, evaluator: Evaluator) -> Iterator[Axis]:
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        if not ast.unparse(decorator.func).endswith("parametrize"):
            continue
        given = _decorator_arguments(decorator, evaluator)
        if len(given) < 2:
            continue
        try:
            names, values = evaluator.value(given[0]), evaluator.value(given[1])
        except NotPlain as error:
            raise NoCases(f"The test's values can't be told from their text: {error}.") from error
        if isinstance(names, str):
            names = [name.strip() for name in names.split(",") if name.strip()]
        if isinstance(values, Opaque) or not isinstance(values, list | tuple) or not values:
            raise NoCases("The test's values can't be told from their text.")
        single = len(names) == 1
        rows = [
            (v,) if single else tuple(v) for v in values if single or isinstance(v, list | tuple)
        ]
        rows = [row for row in rows if len(row) == len(names)]
        if not rows:
            raise NoCases(f"The values of {', '.join(names)} can't be told from their text.")
        yield tuple(names), rows


def _called(
    parameters: Sequence[str], evaluator: Evaluator, calls: Sequence[ast.Call]
) -> list[Axis]:
    """Return the values that the file itself passes in calls of its test."""
    rows: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for call in calls:
        given = dict(zip(parameters, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg and k.arg in parameters}
        try:
            values = tuple(evaluator.value(value) for value in given.values())
        except NotPlain:
            continue
        rows.setdefault(tuple(given), []).append(values)
    most = max(rows, key=lambda names: len(rows[names]), default=())
    return [(most, rows[most])] if most else []


def _decorator_arguments(decorator: ast.Call, evaluator: Evaluator) -> list[ast.expr]:
    """Return the arguments of a decorator. `*NAME` is replaced by the elements of NAME."""
    arguments: list[ast.expr] = []
    for argument in decorator.args:
        meant = evaluator.meant(argument.value) if isinstance(argument, ast.Starred) else argument
        if isinstance(meant, ast.Tuple | ast.List):
            arguments += meant.elts if isinstance(argument, ast.Starred) else [meant]
        elif meant is not None:
            arguments.append(meant)
    return arguments


def _product(axes: Sequence[Axis]) -> Iterator[Row]:
    lists = [[dict(zip(names, row, strict=True)) for row in rows] for names, rows in axes]
    while math.prod(map(len, lists)) > MOST_ROWS:
        longest = max(lists, key=len)
        del longest[len(longest) // 2 :]
    return (dict(i for part in parts for i in part.items()) for parts in itertools.product(*lists))


def _bind(rows: list[Row], name: str, bound: dict[str, str]) -> list[Row]:
    """Bind a parameter whose values are functions or classes to its first value, and keep only the
    rows with this value.
    """
    rows = [row for row in rows if not _is_unwanted(row.get(name))] or rows
    first = next((row[name] for row in rows if _is_opaque(row.get(name))), None)
    if first is None:
        return rows
    if not isinstance(first, Opaque):
        raise NoCases(f"The parameter {name} holds something that is no plain value.")
    bound[name] = first.source
    return [{k: v for k, v in row.items() if k != name} for row in rows if row[name] == first]


def _without_compilation(rows: list[Row], bound: dict[str, str]) -> list[Row]:
    for name in [name for name in rows[0] if COMPILED.fullmatch(name)] if rows else []:
        plain_rows = [row for row in rows if row[name] is False]
        if plain_rows:
            bound[name] = "False"
            rows = [{k: v for k, v in row.items() if k != name} for row in plain_rows]
    return rows


def _is_unwanted(value: Any) -> bool:
    """Return whether a value is a complex dtype or a tensor, which a case can't contain."""
    return isinstance(value, Opaque) and bool(UNWANTED.match(value.source))


def _is_opaque(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_is_opaque(part) for part in value)
    if isinstance(value, dict):
        return any(_is_opaque(part) for part in value.values())
    return isinstance(value, Opaque)


def _skips(function: ast.FunctionDef) -> list[ast.expr]:
    """Return the conditions under which the test skips a row."""
    leaving = ("pytest.skip", "return", "pytest.xfail", "self.skipTest")
    return [
        statement.test
        for statement in function.body
        if isinstance(statement, ast.If)
        and not statement.orelse
        and ast.unparse(statement.body[-1]).startswith(leaving)
    ]


def _is_skipped(conditions: Sequence[ast.expr], row: Row, evaluator: Evaluator) -> bool:
    for condition in conditions:
        try:
            if evaluator.value(condition, row):
                return True
        except NotPlain:
            continue
    return False


def _fixed(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the sizes that a checker must not vary: those for which the author's cases never have
    an odd value.
    """
    fixed = []
    for name in rows[0]:
        values = [row[name] for row in rows]
        if any(integers(value) for value in values):
            # () is a shape too: that of a single number.
            sizes = all(is_size(value) or value == () for value in values)
            odd = any(is_odd(n) for value in values for n in integers(value))
            if not (sizes and odd):
                fixed.append(name)
    return tuple(fixed)


def plain(value: Any) -> Any:
    """Convert a value to the form that it has in CASES."""
    if isinstance(value, DtypeName):
        return value.name
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    return value


DTYPES = [DtypeName("float16"), DtypeName("float32")]

# Pattern of the complete name, and values in the first, second and third case. Sizes of tiles or
# heads remain powers of two. Numbers of rows or tokens include one that no block size divides.
USUAL: Sequence[tuple[str, tuple[Any, ...]]] = [
    (r"dtype|data_?type", (*DTYPES, DtypeName("float16"))),
    (r"B|Z|bs|bsz|batch|batch_?size|num_batches", (2, 3, 1)),
    (r"H|HQ|h|heads|n_?heads|num_?heads|q_?heads|head_?num|num_q_heads", (4, 2, 8)),
    (r"D|K_?DIM|d|dim|head_?dim|head_?size|D_?HEAD|headdim", (64, 32, 128)),
    (r"M|T|S|L|rows|n_?rows|seq_?len|seqlen|sl|n_?ctx|tokens?|num_?tokens|token_num|batch_seq",
     (64, 37, 129)),
    (r"N|C|cols|n_?cols|hidden|hidden_?(size|dim)|features|width", (128, 64, 256)),
    (r"K|in_?features|out_?features|inner", (64, 32, 128)),
    (r"V|vocab|vocab_?size", (128, 257, 512)),
    (r"n|numel|size|n_?elements|length", (1024, 997, 4096)),
    (r"eps|epsilon", (1e-6, 1e-6, 1e-6)),
]  # fmt: skip


def usual_rows(names: Sequence[str]) -> list[tuple[Any, ...]] | None:
    """Return rows of usual values for these parameters, or None if some name matches no pattern."""
    columns = [_usual_values(name) for name in names]
    if not names or any(column is None for column in columns):
        return None
    return list(zip(*(column for column in columns if column is not None), strict=True))


def _usual_values(name: str) -> tuple[Any, ...] | None:
    for exact in (True, False):
        for pattern, values in USUAL:
            if re.fullmatch(pattern, name, 0 if exact else re.I):
                return values
    return None
