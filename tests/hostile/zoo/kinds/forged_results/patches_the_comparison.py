"""The launcher patches what its test compares with, and writes zeros."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed not_triton", "values"),
    variants=(
        Variant(
            name="allclose", edits=(WRITES_ZEROS,), launcher=("patches_the_comparison_allclose",)
        ),
        Variant(
            name="assert-close",
            edits=(
                WRITES_ZEROS,
                in_test(
                    "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)",
                    "    torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol)",
                ),
            ),
            launcher=("patches_the_comparison_assert_close",),
            outcome=Outcome("failed not_triton vacuous", "values"),
        ),
        Variant(
            name="tolerance", edits=(WRITES_ZEROS,), launcher=("patches_the_comparison_tolerance",)
        ),
    ),
)
