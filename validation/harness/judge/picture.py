"""An answer next to the reference's, for a person to look at: numbers, and a map of the errors."""

from typing import Any

import numpy as np

from validation.harness.judge.answers import Value
from validation.harness.judge.numbers import EPSILON, Array, Numbers

# Maximum rows and columns of cells in a map, and number of leading elements of an answer to show.
CELLS, FIRST = 48, 8
# A cell's level is the number of these limits that its largest error exceeds, in steps of the type.
# A step is the distance of two neighboring numbers at the value's size, or at the typical size if
# that is larger. An element that is finite in only one of the answers exceeds all limits.
LEVELS = (0.0, 1.0, 8.0, 64.0, 4096.0)
OUTPUTS_MOST = 8


def pictures(answer: Value, wanted: Value, precise: Value | None) -> list[dict[str, Any]]:
    """Return a picture of each tensor of the answer, up to OUTPUTS_MOST.

    precise: the reference's float64 answer. Errors are relative to it if its tensors match.
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
    """Return the errors in steps of the type. A step of an integer type is 1."""
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
    """Return the levels of the cells, and the number of rows and columns that a cell covers.

    All dimensions but the last form the rows. A cell has the largest error of its elements.
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
    """Return the number as text: JSON can't store NaN, and PostgreSQL can't store infinity."""
    return f"{value:.6g}" if isinstance(value, float | complex) else str(value)
