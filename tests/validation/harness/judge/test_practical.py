"""The practical bound on a kernel's error: by type, by what the text declares, by the entry."""

import numpy as np
import pytest

from validation.harness.judge.practical import PracticalBound, declared_factor

ONE = np.ones(1)


def allowed(bound: PracticalBound, dtype: str = "float32") -> float:
    return float(bound.allowed(dtype, ONE, 1.0, 1.0, shown=True)[0])


def test_a_state_computed_from_halves_is_as_far_off_as_halves() -> None:
    assert allowed(PracticalBound()) == pytest.approx(2e-4)
    assert allowed(PracticalBound(case_type="float16")) == pytest.approx(1.6e-2)
    assert allowed(PracticalBound(case_type="int32")) == pytest.approx(2e-4)
    # A case in single precision allows halves nothing less.
    assert allowed(PracticalBound(case_type="float32"), "float16") == pytest.approx(1.6e-2)


def test_the_tolerance_of_the_case_bounds_the_state() -> None:
    bound = PracticalBound(tolerance={"float16": (1e-3, 1e-3)}, case_type="float16")

    assert allowed(bound) == pytest.approx(2e-3)


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("tl.sum(x)", 1.0),
        ("tl.exp2(x)", 2.0),
        ("tl.dot(a, b)", 20.0),
        ("tl.dot(tl.dot(a, b), c)", 40.0),
        ("tl.dot(a, b) + tl.dot(c, d) + tl.dot(e, f)", 40.0),
        ("tl.dot(a.to(tl.float16), b)", 2.0),
        ("tl.dot(a, b, input_precision='ieee')", 1.0),
    ],
)
def test_each_product_of_a_chain_in_tf32_rounds_again(text: str, factor: float) -> None:
    assert declared_factor(text) == factor
