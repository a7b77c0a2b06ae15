"""The launcher keeps what the reference returned and passes it through the kernel."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(
        Variant(name="profiler", launcher=("listens_to_the_reference_profiler",)),
        Variant(name="patched-add", launcher=("listens_to_the_reference_patched_add",)),
    ),
)
