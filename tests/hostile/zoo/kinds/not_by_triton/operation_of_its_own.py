"""Torch computes within an operation that the entry registered."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON, Verdict.MIXED},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(
        Variant(name="own-name", launcher=("operation_of_its_own_own_name",)),
        Variant(
            name="named-clone",
            how="The operation is named like one of torch's that moves data.",
            launcher=("operation_of_its_own_named_clone",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON, Verdict.MIXED},
                caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
            ),
        ),
    ),
)
