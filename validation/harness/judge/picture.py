"""An answer beside the reference's, for a person to look at: numbers, and a map of the errors."""

from typing import Any

import numpy as np

from validation.harness.judge.answers import Value
from validation.harness.judge.numbers import EPSILON, Array, Numbers

# The map has at most so many rows and columns of cells, and an answer so many first numbers.
CELLS, FIRST = 48, 8
# The level of a cell is the count of these that its largest error exceeds, in steps of the type. A
# step is the distance of two neighbors at the size of the number, or at the typical size if that is
# larger. A number that is finite on one side only is beyond all.
LEVELS = (0.0, 1.0, 8.0, 64.0, 4096.0)
OUTPUTS_MOST = 8


def pictures(answer: Value, wanted: Value, precise: Value | None) -> list[dict[str, Any]]:
    """Return a picture of each tensor of the answer, up to OUTPUTS_MOST.

    precise: the reference's answer in float64. Errors count from there if it is the same tensor.
    """
    exact = precise.tensors() if precise and precise.form == wanted.form else wanted.tensors()
    both = zip(answer.tensors(), exact, strict=False)
    return [picture(actual, expected) for actual, expected in list(both)[:OUTPUTS_MOST]]


def picture(actual: Numbers, expected: Numbers) -> dict[str, Any]:
    made: dict[str, Any] = {"dtype": actual.dtype, "shape": list(actual.shape)}
    if actual.shape != expected.shape:
        return {**made, "expected_shape": list(expected.shape)}
    values, truth = actual.values(), expected.values()
    made |= {"first": _first(values), "expected_first": _first(truth)}
    if not values.size:
        return made
    with np.errstate(all="ignore"):
        error = _error(values, truth)
        steps = _steps(error, truth, actual.dtype)
    worst = int(steps.argmax())
    return {
        **made,
        **_map(steps, actual.shape),
        "largest": _number(error[worst]),
        "at": [int(place) for place in np.unravel_index(worst, actual.shape)],
        "there": _number(values[worst]),
        "expected_there": _number(truth[worst]),
        "steps": _number(float(f"{steps[worst]:.2g}")),
    }


def _error(values: Array, truth: Array) -> Array:
    """Return the error of each element; infinity if only one of the two is finite."""
    if values.dtype.kind == "c" or truth.dtype.kind == "c":
        values, truth = values.astype(np.complex128), truth.astype(np.complex128)
    else:
        values, truth = values.astype(np.float64), truth.astype(np.float64)
    same = (values == truth) | (np.isnan(values) & np.isnan(truth))
    error = np.abs(values - truth)
    error = np.where(np.isfinite(error), error, np.inf)
    return np.where(same, 0.0, error)


def _steps(error: Array, truth: Array, dtype: str) -> Array:
    """Return the error in steps of the type. The steps of whole numbers are 1."""
    if dtype not in EPSILON:
        return error
    size = np.abs(truth).astype(np.float64)
    finite = np.isfinite(size)
    typical = float(np.sqrt(np.mean(size[finite] ** 2))) if finite.any() else 0.0
    typical = typical if np.isfinite(typical) and typical > 0 else 1.0
    step = EPSILON[dtype] * np.maximum(np.where(finite, size, 0.0), typical)
    steps: Array = error / step
    return steps


def _map(steps: Array, shape: tuple[int, ...]) -> dict[str, Any]:
    """Return the levels of the cells, and how many rows and columns each cell covers.

    All dimensions but the last are rows. A cell has the largest error of its elements.
    """
    columns = shape[-1] if shape else 1
    rows = steps.size // max(1, columns)
    down, across = -(-rows // CELLS), -(-columns // CELLS)
    padded = np.zeros((-(-rows // down) * down, -(-columns // across) * across))
    padded[:rows, :columns] = steps.reshape(rows, columns)
    cells = padded.reshape(-1, down, padded.shape[1] // across, across).max(axis=(1, 3))
    levels = (cells[..., None] > np.array(LEVELS)).sum(axis=-1)
    return {"levels": levels.tolist(), "rows_of_cell": down, "columns_of_cell": across}


def _first(values: Array) -> list[str]:
    return [_number(value) for value in values[:FIRST]]


def _number(value: Any) -> str:
    """Return the number as text: JSON has no NaN, and a database no infinity."""
    return f"{value:.6g}" if isinstance(value, float | complex) else str(value)
