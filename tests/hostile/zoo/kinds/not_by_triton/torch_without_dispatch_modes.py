"""Torch computes while dispatch modes are disabled, and the kernel passes the answer on."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant(name="vector-add", launcher=("torch_without_dispatch_modes",)),
        Variant(name="row-sum", base="row-sum", launcher=("torch_without_dispatch_modes",)),
    ),
)
