"""Arguments with one value in all inputs, by their names."""

from typing import Any

import numpy as np
import pytest

from validation.harness.judge.unvaried import unvaried
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.trial_plan import Trial

PYTHON_CODE = """
def f(x, index, mask=None, *, alpha=1.0, causal=False):
    return x
"""
FRACTIONS = [np.arange(6.0) * step for step in (1, 2)]
INDEX = [np.array([3, 1, 3]), np.array([0, 5, 1])]


def reasons(*rows: list[Any], code: str = PYTHON_CODE) -> dict[str, str]:
    """Return the names for rows of arguments; arrays stand for tensors."""
    blobs: list[memoryview] = []
    arguments = {}
    for number, row in enumerate(rows):
        tree = []
        for value in row:
            if isinstance(value, np.ndarray):
                tensor = {"storage": len(blobs), "dtype": str(value.dtype), "offset": 0}
                shape = {"shape": list(value.shape), "stride": [1]}
                blobs.append(memoryview(value.tobytes()))
                value = {**tensor, **shape}
            tree.append(value)
        arguments[number] = {"tuple": tree}
    trials = [Trial(number, "", "shown", {}) for number in arguments]
    return unvaried(Inputs(trials, arguments, blobs), list(arguments), code, "f")


def test_a_default_that_no_input_replaces_is_unvaried() -> None:
    rows = [[*parts] for parts in zip(FRACTIONS, INDEX, strict=True)]

    assert reasons(*rows) == {
        "mask": "always null", "alpha": "always 1.0", "causal": "always false",
    }  # fmt: skip


def test_an_argument_that_is_given_once_and_else_its_default_varies() -> None:
    mask = np.array([True, False])

    found = reasons([FRACTIONS[0], INDEX[0]], [FRACTIONS[1], INDEX[1], mask])

    assert "mask" not in found


def test_a_part_of_a_tuple_or_a_list_is_named_by_its_place() -> None:
    found = reasons([FRACTIONS[0], {"tuple": [2.0, 1]}, [3, 4]],
                    [FRACTIONS[1], {"tuple": [2.0, 5]}, [3, 6]])  # fmt: skip

    assert found["index[0]"] == "always 2.0"
    assert found["mask[0]"] == "always 3"
    assert not found.keys() & {"index", "index[1]", "mask", "mask[1]"}


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (0.5, 0.5, "always 0.5"),
        (0.5, 0.25, None),
        ("sum", "sum", 'always "sum"'),
        (np.array([True, True]), np.array([True]), "true everywhere"),
        (np.array([False, False]), np.array([False]), "false everywhere"),
        (np.array([True, False]), np.array([True]), None),
        (np.array([2, 0]), np.array([1, 0, 4]), "no repeats"),
        (np.array([2, 2]), np.array([1, 0, 4]), None),
        (np.array([100, 7]), np.array([1, 1, 4]), "of one sign"),
        (np.array([100, 7]), np.array([1, 1, -4]), None),
    ],
)
def test_the_reason_names_the_one_value(first: Any, second: Any, reason: str | None) -> None:
    found = reasons([FRACTIONS[0], first], [FRACTIONS[1], second])

    assert found.get("index") == reason


def test_values_of_a_dictionary_are_named_by_their_keys() -> None:
    pairs = [["p", 2], ["q", 3], [{"tuple": [1, None]}, 4]]

    found = reasons([FRACTIONS[0], {"dict": pairs}], [FRACTIONS[1], {"dict": pairs}])

    assert (found["index.p"], found["index.q"]) == ("always 2", "always 3")


def test_whole_numbers_without_fractions_beside_them_are_no_places() -> None:
    assert reasons([np.array([1, 1])], [np.array([1, 0])])["x"] == "of one sign"


def test_arguments_without_a_readable_function_are_named_by_their_places() -> None:
    assert reasons([FRACTIONS[0], 3], [FRACTIONS[1], 3], code="f = max") == {
        "argument 2": "always 3"
    }
