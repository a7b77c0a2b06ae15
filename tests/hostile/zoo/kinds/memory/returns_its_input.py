"""The launcher returns the memory of an input where the reference returns new memory."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED}, caught_by={Check.MEMORY}),
    variants=(
        Variant(name="sum-in-place", launcher=("returns_its_input_sum_in_place",)),
        Variant(
            name="view",
            base="transpose",
            launcher=("returns_its_input_view",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.NOT_TRITON},
                caught_by={Check.MEMORY, Check.KERNEL_MATTERS},
            ),
        ),
    ),
)
