"""Torch computes the answer and no kernel is launched."""

from tests.hostile.zoo.catalog import OPERATIONS, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(
        *(Variant(name=base, base=base, launcher=("torch_computes",)) for base in OPERATIONS),
        Variant(
            name="row-sum-over-the-other-axis",
            base="row-sum",
            launcher=("torch_computes",),
            words={"BY_TORCH": "x.t().sum(dim=0)"},
        ),
    ),
)
