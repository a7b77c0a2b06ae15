"""A kernel launch is replaced by Python that computes with torch."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(
        Variant(name="object", launcher=("fake_kernel_object",)),
        Variant(
            name="patched-indexing",
            how="Triton's own way of launching is replaced, for every class of kernels.",
            launcher=("fake_kernel_patched_indexing",),
            outcome=Outcome("failed error not_triton", "kernel-matters"),
        ),
    ),
)
