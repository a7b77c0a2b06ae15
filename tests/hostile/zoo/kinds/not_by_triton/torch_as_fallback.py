"""The launcher launches its kernel wrongly, catches the error and lets torch compute."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON}, caught_by={Check.KERNEL_MATTERS}
    ),
    variants=(Variant(name="wrong-arguments", launcher=("torch_as_fallback",)),),
)
