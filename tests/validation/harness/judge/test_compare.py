"""Comparison of answers: an error is right if rounding explains it, and wrong otherwise."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.validation.harness.numbers_of import numbers_of
from validation.harness.judge.compare import Comparison, Expected, Grade, compare, worst_grade

HALF = np.float16
ordinary = arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e3, 1e3))


def judged(found: Any, precise: Any, dtype: str = "float32", **more: Any) -> Comparison:
    """Compare `found` with a reference that is as exact as its type allows."""
    native = numbers_of(precise, dtype)
    return compare(
        numbers_of(found, dtype), Expected(native, numbers_of(precise, "float64"), **more)
    )


@given(ordinary)
def test_the_answer_of_the_reference_is_right(values: Any) -> None:
    for dtype in ("float64", "float32", "float16", "bfloat16"):
        assert not judged(values, values, dtype).wrong


@given(ordinary, st.data())
def test_one_far_off_element_is_wrong_at_any_position(values: Any, data: Any) -> None:
    place = data.draw(st.integers(0, len(values) - 1))
    found = values.copy()
    found[place] += 1 + np.abs(values).max()

    said = judged(found, values)

    assert f"the worst at [{place}]" in said.wrong
    assert said.share > 1


@given(ordinary.filter(lambda values: np.abs(values).max() > 1))
def test_zeros_are_never_right_for_a_nonzero_reference(values: Any) -> None:
    for dtype in ("float32", "float16", "bfloat16"):
        assert judged(np.zeros_like(values), values, dtype).wrong


def test_the_allowed_error_shrinks_with_the_precision_of_the_dtype() -> None:
    truth = np.linspace(1, 2, 100)
    close = truth * (1 + 1e-3)

    assert not judged(close, truth, "float16").wrong
    assert judged(close, truth, "float32").wrong
    assert judged(truth * (1 + 1e-5), truth, "float32").grade == "within"
    assert judged(truth * (1 + 1e-10), truth, "float64").wrong


def test_a_sum_in_float16_returned_as_float32_is_wrong() -> None:
    rows = np.random.default_rng(0).normal(size=(8, 4000)).astype(np.float32)
    truth = rows.astype(np.float64).sum(axis=1)
    halves = np.cumsum(rows.astype(HALF), axis=1, dtype=HALF)[:, -1]

    assert judged(halves.astype(np.float32), truth).wrong


def test_a_candidate_may_have_the_error_of_torch() -> None:
    truth = np.linspace(1, 2, 100)
    poor = numbers_of(truth + 5e-5, "float32")
    expected = Expected(poor, numbers_of(truth, "float64"))

    assert not compare(numbers_of(truth - 5e-5), expected).wrong
    assert compare(numbers_of(truth - 5e-3), expected).wrong


def test_more_error_is_allowed_if_inputs_amplify_rounding() -> None:
    truth = np.linspace(1, 2, 100)
    shaken = numbers_of(truth + 1e-4, "float64")

    assert judged(truth + 1e-3, truth).wrong
    assert not judged(truth + 1e-3, truth, shaken=shaken).wrong


def test_errors_up_to_a_small_multiple_of_rounding_are_allowed() -> None:
    truth = np.linspace(1, 2, 100)
    rounded = numbers_of(truth + 1e-4, "float64")

    assert not judged(truth + 4e-4, truth, rounded=rounded).wrong
    assert judged(truth + 5e-4, truth, rounded=rounded).wrong


def test_an_answer_that_torch_rounds_badly_is_judged_in_float64() -> None:
    """Its own answer is so far off that it might answer another question."""
    truth = np.linspace(1, 2, 100)
    poor, precise = numbers_of(truth * 1.01), numbers_of(truth, "float64")
    rounded = numbers_of(truth * 1.01, "float64")

    assert compare(numbers_of(truth * 0.99), Expected(poor, precise)).wrong
    assert not compare(numbers_of(truth * 0.99), Expected(poor, precise, rounded=rounded)).wrong
    assert compare(numbers_of(truth * 0.9), Expected(poor, precise, rounded=rounded)).wrong


def test_a_rounding_error_of_torch_is_not_required_if_terms_cancel() -> None:
    leftover, truth = numbers_of([-(2.0**-15)]), numbers_of([-1e-14], "float64")

    assert not compare(numbers_of([0.0]), Expected(leftover, truth)).wrong
    assert compare(numbers_of([1.0]), Expected(leftover, truth)).wrong


def test_an_operation_that_depends_on_its_dtype_is_compared_in_that_dtype() -> None:
    """Such as one that looks at bits, or at the type's smallest number."""
    native, in_float64 = numbers_of([1.0, 2.0]), numbers_of([100.0, 200.0], "float64")

    assert not compare(numbers_of([1.0, 2.0]), Expected(native, in_float64)).wrong
    assert compare(numbers_of([50.0, 100.0]), Expected(native, in_float64)).wrong


@pytest.mark.parametrize("special", [math.nan, math.inf, -math.inf])
def test_nan_and_infinities_must_be_where_the_reference_has_them(special: float) -> None:
    truth = np.array([1.0, special, 3.0])

    assert not judged(truth, truth).wrong
    assert "where the reference has" in judged([1.0, 2.0, 3.0], truth).wrong
    assert "where the reference has" in judged(truth, [1.0, 2.0, 3.0]).wrong


def test_an_infinity_replaces_a_nan_only_with_any_for_nan() -> None:
    truth, found = [1.0, math.nan], [1.0, math.inf]

    assert judged(found, truth).wrong
    assert not judged(found, truth, any_for_nan=True).wrong
    assert not judged([1.0, 7.0], truth, any_for_nan=True).wrong
    assert judged([7.0, math.nan], truth, any_for_nan=True).wrong


def test_an_element_that_overflows_the_type_may_be_infinite() -> None:
    expected = Expected(numbers_of([65504.0], "float16"), numbers_of([70000.0], "float64"))

    assert not compare(numbers_of([math.inf], "float16"), expected).wrong


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (numbers_of([1.0, 2.0], "float64"), "type float64 instead of float32"),
        (numbers_of([[1.0, 2.0]]), "shape [1, 2] instead of [2]"),
        (numbers_of([1.0]), "shape [1] instead of [2]"),
    ],
)
def test_dtype_and_shape_must_equal_those_of_the_reference(found: Any, said: str) -> None:
    assert compare(found, Expected(numbers_of([1.0, 2.0]))).wrong == said


def test_a_small_element_is_not_excused_by_the_rounding_of_a_large_one() -> None:
    """A quick GELU in half precision: it is right within torch's largest error, and no nearer."""
    x = np.linspace(-6, 6, 2000)
    truth = x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    quick = x / (1 + np.exp(-1.702 * x))

    said = judged(quick, truth, "bfloat16")

    assert (said.wrong, said.grade, said.share <= 1) == ("", "within", True)
    assert said.own_error is not None
    assert said.own_error > 8
    assert (judged(truth, truth, "bfloat16").own_error or 9) <= 1


def test_an_answer_has_no_multiple_of_an_error_that_torch_does_not_make() -> None:
    assert judged([1.0, 2.0], [1.0, 2.0], "float32").own_error is None


def test_a_sum_in_half_precision_is_off_by_many_times_the_error_of_torch() -> None:
    rows = np.abs(np.random.default_rng(0).normal(size=(8, 1500)))
    halves = np.cumsum(rows.astype(HALF), axis=1, dtype=HALF)[:, -1]

    said = judged(halves, rows.astype(HALF).astype(np.float64).sum(axis=1), "float16", reduced=1500)

    assert said.own_error is not None
    assert said.own_error > 8


def test_integers_are_exact() -> None:
    truth = numbers_of([1, 2, 3], "int32")

    assert not compare(truth, Expected(truth)).wrong
    assert "the first at [1]: 3 instead of 2" in (
        compare(numbers_of([1, 3, 3], "int32"), Expected(truth)).wrong
    )


def test_an_integer_decided_by_rounding_may_have_either_value() -> None:
    native, precise = numbers_of([1, 2], "int32"), numbers_of([1, 3], "int32")

    assert not compare(numbers_of([1, 3], "int32"), Expected(native, precise)).wrong
    assert compare(numbers_of([1, 4], "int32"), Expected(native, precise)).wrong


def test_empty_answers_are_equal() -> None:
    assert compare(numbers_of([]), Expected(numbers_of([]))) == Comparison("")


@pytest.mark.parametrize(("found", "right"), [(7.6e-6, True), (1e-4, True), (1e-3, False)])
def test_a_rounding_error_is_accepted_where_the_answer_is_zero(found: float, right: bool) -> None:
    """The layer norm of one element is zero, and no kernel computes exactly that."""
    assert (not judged([found], [0.0]).wrong) is right


def test_the_tolerance_of_a_tiny_element_is_that_of_the_other_elements() -> None:
    assert judged([1.0, 2e-5], [1.0, 0.0]).grade == "within"
    assert judged([1.0, 2e-4], [1.0, 0.0]).wrong


def test_a_jump_of_the_reference_is_tolerated_only_at_its_element() -> None:
    """The fractional part of what is nearly whole may be nearly one; others may not."""
    truth = np.linspace(0.1, 0.9, 100)
    shaken = truth.copy()
    shaken[7] += 0.9
    beside = numbers_of(shaken, "float64")

    jumped, wrong = truth.copy(), truth.copy()
    jumped[7] += 0.9
    wrong[8] += 0.9
    assert not judged(jumped, truth, shaken=beside).wrong
    assert judged(wrong, truth, shaken=beside).wrong


def test_many_jumps_of_the_reference_are_tolerated_at_all_elements() -> None:
    truth = np.linspace(0.1, 0.9, 100)
    shaken, found = truth.copy(), truth.copy()
    shaken[::3] += 0.5
    found[1] += 0.5

    assert not judged(found, truth, shaken=numbers_of(shaken, "float64")).wrong


def test_the_worst_of_several_grades_counts() -> None:
    assert worst_grade([Grade.EXACT, Grade.WITHIN, Grade.CLOSE]) is Grade.WITHIN
    assert worst_grade([Grade.CLOSE, Grade.EXACT]) is Grade.CLOSE
    assert worst_grade([]) is None
