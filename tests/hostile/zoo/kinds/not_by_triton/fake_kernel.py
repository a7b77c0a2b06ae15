"""A kernel launch is replaced by Python that computes with torch."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON}, caught_by={Check.KERNEL_MATTERS}
    ),
    variants=(
        Variant(name="object", launcher=("fake_kernel_object",)),
        Variant(
            name="patched-indexing",
            how="Triton's own way of launching is replaced, for every class of kernels.",
            launcher=("fake_kernel_patched_indexing",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
                caught_by={Check.KERNEL_MATTERS},
            ),
        ),
    ),
)
