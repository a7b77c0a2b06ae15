"""The launcher raises an exception of pytest that ends or skips the test."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "own-test values"),
    variants=(
        Variant(name="exit", launcher=("ends_pytest_early_exit",)),
        Variant(
            name="skip",
            launcher=("ends_pytest_early_skip",),
            outcome=Outcome("failed error not_triton vacuous", "own-test values"),
        ),
    ),
)
