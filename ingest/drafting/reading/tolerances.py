"""Reading of a test's tolerances, so that a draft's test allows the same errors."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.drafting.reading.bounded import NotPlain
from ingest.drafting.reading.choosing import Row
from ingest.drafting.reading.comparisons import TestedEquality
from ingest.drafting.reading.parameter_values import Evaluator

# Largest error of a million normally distributed ones, in units of their root mean square.
WORST = 5.0
NAMED = {"rtol": "relative", "atol": "absolute", "ratio": "share", "tol": "share"}
# Maximum relative and absolute tolerance. A test with a larger one could hardly fail.
MOST = {
    "float64": (1e-6, 1e-6), "float32": (1e-2, 2.5e-2), "float16": (2e-2, 5e-2),
    "bfloat16": (5e-2, 1e-1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The relative and the absolute error that the author's comparisons allow in one case."""

    relative: float = 0.0
    absolute: float = 0.0
    equal_nan: bool = False
    """Whether the author's comparison treats two NaN as equal."""

    def at_least(self, dtype: str, usual: tuple[float, float]) -> tuple[float, float]:
        """Return the tolerance of a draft's test for a dtype. It is never tighter than `usual`."""
        relative, absolute = MOST.get(dtype, usual)
        return (
            max(usual[0], min(self.relative, relative)),
            max(usual[1], min(self.absolute, absolute)),
        )


def allowed(comparisons: Sequence[TestedEquality], evaluator: Evaluator, row: Row) -> Tolerance:
    """Return the largest errors that any of the comparisons allows. Unknown ones are left out."""
    relative, absolute = [0.0], [0.0]
    for comparison in comparisons:
        for kind, node in _limits(comparison.call):
            value = _number(node, comparison.before, evaluator, row)
            if kind == "relative":
                relative.append(value)
            else:
                absolute.append(value * (WORST if kind == "share" else 1))
    return Tolerance(max(relative), max(absolute), any(map(_compares_nan, comparisons)))


def _compares_nan(comparison: TestedEquality) -> bool:
    match comparison.call:
        case ast.Call(keywords=keywords):
            return any(
                k.arg == "equal_nan" and isinstance(k.value, ast.Constant) and k.value.value is True
                for k in keywords
            )
    return False


def _limits(call: ast.expr | None) -> list[tuple[str, ast.expr]]:
    """Return the tolerances in a comparison, each with its kind."""
    match call:
        case ast.Call(func=func, args=args, keywords=keywords):
            found = [(NAMED[k.arg], k.value) for k in keywords if k.arg in NAMED]
            if found:
                return found
            match args:
                case [ast.Constant(value=str()) | ast.JoinedStr(), _, _, share]:
                    return [("share", share)]
                case [_, _, relative, absolute]:
                    return [("relative", relative), ("absolute", absolute)]
                case [_, relative, absolute] if ast.unparse(func).endswith(".allclose"):
                    return [("relative", relative), ("absolute", absolute)]
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[limit]):
            # `(a - b).abs().max() < limit`
            return [("absolute", limit)] if "max" in ast.unparse(left) else []
    return []


def _number(
    node: ast.expr, before: Sequence[ast.stmt], evaluator: Evaluator, row: Row, depth: int = 0
) -> float:
    """Return the value of a tolerance in one case, or zero if the value is unknown."""
    if isinstance(node, ast.Name) and node.id not in row and depth < len(before):
        for statement in reversed(before):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                    return _number(value, before, evaluator, row, depth + 1)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    for place, target in enumerate(targets):
                        if isinstance(target, ast.Name) and target.id == node.id:
                            part = ast.Subscript(value, ast.Constant(place), ast.Load())
                            return _number(part, before, evaluator, row, depth + 1)
    try:
        value = evaluator.value(node, row)
    except NotPlain:
        return 0.0
    return float(value) if type(value) in {int, float} and 0 < value < 1e3 else 0.0
