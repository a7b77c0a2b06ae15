"""The launcher returns a tensor subclass that computes with torch when it is used."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.MEMORY, Check.KERNEL_MATTERS},
    ),
    variants=(Variant(name="subclass", launcher=("lazy_tensor",)),),
)
