"""Torch computes the answer, and the kernel only passes it on."""

from tests.hostile.zoo.catalog import OPERATIONS, Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON, Verdict.MIXED},
        caught_by={Check.KERNEL_MATTERS},
    ),
    variants=(
        *(
            Variant(name=base, base=base, launcher=("kernel_copies_what_torch_computed",))
            for base in OPERATIONS
        ),
        Variant(name="transpose", base="transpose", launcher=("torch_transposes",)),
    ),
)
