"""A kernel copies the inputs by an address or an offset into memory where torch or NumPy adds."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "kernel-matters bounds"),
    variants=(
        Variant(
            name="address",
            launcher=("kernel_reaches_hidden_memory_address",),
            # A GPU may not map that address.
            outcome=Outcome("failed not_triton crashed", "kernel-matters bounds containment"),
        ),
        Variant(
            name="offset",
            launcher=("kernel_reaches_hidden_memory_offset",),
            outcome=Outcome("failed not_triton", "values kernel-matters bounds"),
        ),
    ),
)
