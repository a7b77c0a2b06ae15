"""The kernel writes the output, and torch writes it again."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(Variant(name="vector-add", launcher=("torch_overwrites_the_kernel",)),),
)
