"""The kernel calls torch, which Triton's interpreter allows."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(Variant(name="call", launcher=("python_in_the_kernel",)),),
)
