"""Torch computes the answer and no kernel is launched."""

from tests.hostile.zoo.catalog import OPERATIONS, Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON}, caught_by={Check.KERNEL_MATTERS}
    ),
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
