"""Torch computes while dispatch modes are disabled, and the kernel passes the answer on."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(
        Variant(name="vector-add", launcher=("torch_without_dispatch_modes",)),
        Variant(name="row-sum", base="row-sum", launcher=("torch_without_dispatch_modes",)),
    ),
)
