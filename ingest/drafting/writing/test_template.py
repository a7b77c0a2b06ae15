"""Writing of a draft's test from a template, around the inputs of the author's test."""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ingest.drafting.reading.lifting import bound_names
from ingest.drafting.reading.parameter_values import DtypeName
from ingest.drafting.reading.parametrized_cases import Cases, plain
from ingest.drafting.reading.tolerances import Tolerance
from ingest.drafting.writing.sides import INPUTS

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"

TOLERANCE: Mapping[str, tuple[float, float]] = {
    "float64": (1e-6, 1e-6),
    "float32": (1e-3, 1e-3),
    "float16": (1e-2, 1e-2),
    "bfloat16": (2e-2, 2e-2),
}
OTHERWISE = (1e-2, 1e-2)

RESERVED = ("make_inputs", "test_equivalence", "reference", "candidate", "outputs",
            "magnitude", "CASES", "TOLERANCE", "FIXED")  # fmt: skip


# Stand-ins for modules that a pair may not import, by the path of the imported module.
STAND_INS = {
    "einops.py": "einops.py",
    "packaging/version.py": "versions.py",
}


def read_stand_ins() -> dict[str, bytes]:
    """Return the texts of the stand-ins, by the path at which each is imported."""
    return {path: (TEMPLATES / "stand_ins" / ours).read_bytes() for path, ours in STAND_INS.items()}


def test_code(
    entry_point: str,
    make_inputs: str,
    cases: Cases,
    dtype: str,
    differentiable: bool,
    parameters: Sequence[str],
    allowed: Sequence[Tolerance],
    float8: bool,
    sentence: str,
) -> str:
    """Return the source of the draft's test.

    `make_inputs`: a standalone module. `dtype`: the dtype of the inputs if no case names one.
    `parameters`: the test's parameters that make_inputs uses. `allowed`: the tolerance of each
    case. `float8`: the results may be eight-bit floats. `sentence`: what both sides compute.
    """
    imports, rest = _parted(_with_our_names(make_inputs))
    keys = {key: name for name, key in cases.dtypes.items()}
    rows = [
        _case({**row, "dtype": row.get(keys.get("dtype", "dtype"))}, dtype, number, parameters)
        for number, row in enumerate(cases.rows)
    ]
    tolerance: dict[str, tuple[float, float]] = {}
    for row, most in zip(rows, allowed, strict=True):
        name = str(row["dtype"])
        tolerance[name] = most.at_least(name, tolerance.get(name, TOLERANCE.get(name, OTHERWISE)))
    rows = [row for n, row in enumerate(rows) if not any(_same(row, r) for r in rows[:n])]
    fixed = [name for name in cases.fixed if name in rows[0] and name not in {"seed", "dtype"}]
    written: str = (
        _environment()
        .get_template("test_code.py.j2")
        .render(
            entry_point=entry_point,
            sentence=sentence,
            imports=sorted({*imports, "import pytest", "import torch"}),
            tolerance=tolerance,
            fixed="{" + ", ".join(f'"{name}"' for name in sorted(fixed)) + "}" if fixed else "",
            cases=[_written(row) for row in rows],
            make_inputs=rest,
            differentiable=differentiable,
            float8=float8,
            equal_nan=any(one.equal_nan for one in allowed),
        )
    )
    return written


def _case(
    row: Mapping[str, Any], dtype: str, number: int, parameters: Sequence[str]
) -> dict[str, Any]:
    case = {name: plain(value) for name, value in row.items() if name in parameters}
    shown = row.get("dtype")
    case["dtype"] = shown.name if isinstance(shown, DtypeName) else case.get("dtype", dtype)
    if not isinstance(case["dtype"], str):
        case["dtype"] = dtype
    case["seed"] = case["seed"] if type(case.get("seed")) is int else number
    return case


def _written(value: object) -> str:
    """Return the source of a value in a case. Infinity and NaN have no literals."""
    match value:
        case dict():
            return f"{{{', '.join(f'{key!r}: {_written(each)}' for key, each in value.items())}}}"
        case list():
            return f"[{', '.join(map(_written, value))}]"
        case tuple():
            inner = ", ".join(map(_written, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case float() if not math.isfinite(value):
            return f'float("{value}")'
    return repr(value)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return {**one, "seed": 0} == {**other, "seed": 0}


def _with_our_names(module: str) -> str:
    """Rename the author's top-level names that are equal to names of the template."""
    bound = {name for node in ast.parse(module).body for name in bound_names(node)}
    for name in RESERVED:
        if name in bound:
            module = re.sub(rf"\b{name}\b", f"authors_{name.lower()}", module)
    return re.sub(rf"\b{INPUTS}\b", "make_inputs", module)


def _parted(module: str) -> tuple[list[str], str]:
    """Split a module into its imports, one on each line, and its other code."""
    tree = ast.parse(module)
    imports: list[str] = []
    last = 0
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            break
        # Imports from __future__ must come first, but the test begins with imports of its sides.
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            imports.append(ast.unparse(node))
        last = node.end_lineno or last
    return imports, "\n".join(module.splitlines()[last:]).strip("\n")


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=False,  # noqa: S701 - it writes Python, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
