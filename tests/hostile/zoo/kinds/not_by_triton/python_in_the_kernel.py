"""The kernel calls torch, which Triton's interpreter allows."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton", "values kernel-matters"),
    variants=(Variant(name="call", launcher=("python_in_the_kernel",)),),
)
