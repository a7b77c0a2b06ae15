"""The kernel writes the output, and torch writes it again."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON}, caught_by={Check.KERNEL_MATTERS}
    ),
    variants=(Variant(name="vector-add", launcher=("torch_overwrites_the_kernel",)),),
)
