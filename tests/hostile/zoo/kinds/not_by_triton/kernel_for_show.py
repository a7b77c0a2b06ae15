"""The launcher runs its kernel on one element and lets torch compute the rest."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(
        Variant(name="vector-add", launcher=("kernel_for_show",), words={"A_PART": "x[:1], y[:1]"}),
        Variant(
            name="row-sum", base="row-sum", launcher=("kernel_for_show",), words={"A_PART": "x[:1]"}
        ),
    ),
)
