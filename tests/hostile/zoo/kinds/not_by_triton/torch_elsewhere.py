"""Torch computes in another thread or process, and the kernel passes the answer on."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton", "values kernel-matters"),
    variants=(
        Variant(name="thread", launcher=("torch_elsewhere_thread",)),
        Variant(
            name="child",
            launcher=("torch_elsewhere_child",),
            outcome=Outcome(
                "failed error timeout crashed not_triton", "kernel-matters containment"
            ),
        ),
    ),
)
