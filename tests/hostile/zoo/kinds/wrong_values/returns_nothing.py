"""The launcher returns None, and the test compares only what is not None."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import asserts

KIND = Kind(
    outcome=Outcome("failed error not_triton vacuous", "values"),
    variants=(
        Variant(
            name="none",
            edits=(
                asserts(
                    "if actual is not None:\n"
                    "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)"
                ),
            ),
            launcher=("returns_nothing",),
        ),
    ),
)
