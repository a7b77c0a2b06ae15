"""The launcher returns the memory of an input where the reference returns new memory."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "memory"),
    variants=(
        Variant(name="sum-in-place", launcher=("returns_its_input_sum_in_place",)),
        Variant(
            name="view",
            base="transpose",
            launcher=("returns_its_input_view",),
            outcome=Outcome("failed not_triton", "memory kernel-matters"),
        ),
    ),
)
