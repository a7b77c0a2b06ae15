"""A picture of an answer shows where it differs, and by how many steps of its type."""

from typing import Any

import numpy as np
import pytest

from validation.harness.judge.numbers import Numbers
from validation.harness.judge.picture import CELLS, picture


def numbers(values: Any, dtype: str = "float32") -> Numbers:
    array = np.asarray(values, dtype)
    return Numbers(dtype, array.shape, memoryview(array.tobytes()))


def test_the_map_shows_the_block_that_is_missing() -> None:
    truth = np.ones((100, 130))
    answer = truth.copy()
    answer[:, 128:] = 0

    made = picture(numbers(answer), numbers(truth))

    levels = np.array(made["levels"])
    assert levels.shape == (34, 44) and max(levels.shape) <= CELLS
    assert (made["rows_of_cell"], made["columns_of_cell"]) == (3, 3)
    assert levels[:, :-2].max() == 0
    assert (levels[:, -2:].min(), made["at"], made["there"]) == (5, [0, 128], "0")


@pytest.mark.parametrize(
    ("dtype", "off", "level"),
    [("float32", 2.0**-23, 1), ("float32", 4 * 2.0**-23, 2), ("float16", 2.0**-9, 2),
     ("int32", 1, 1), ("int32", 9, 3)],
)  # fmt: skip
def test_levels_count_steps_of_the_type(dtype: str, off: float, level: int) -> None:
    made = picture(numbers([1 + off], dtype), numbers([1], dtype))

    assert made["levels"] == [[level]]


@pytest.mark.parametrize(
    ("answer", "truth", "level"),
    [(np.nan, np.nan, 0), (np.inf, np.inf, 0), (np.nan, 1.0, 5), (1.0, np.inf, 5),
     (-np.inf, np.inf, 5)],
)  # fmt: skip
def test_numbers_that_are_not_finite_are_alike_or_not(
    answer: float, truth: float, level: int
) -> None:
    made = picture(numbers([answer, 1.0]), numbers([truth, 1.0]))

    assert made["levels"] == [[level, 0]]


def test_another_shape_has_no_map() -> None:
    made = picture(numbers([1.0, 2.0]), numbers([1.0]))

    assert made == {"dtype": "float32", "shape": [2], "expected_shape": [1]}


def test_an_empty_answer_and_a_single_number_are_pictures_too() -> None:
    assert picture(numbers([]), numbers([]))["first"] == []
    assert picture(numbers(2.0), numbers(2.0))["levels"] == [[0]]
