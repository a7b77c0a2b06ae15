"""The launcher asks for frames in a way that audit hooks miss or forget."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.CONTRACT, Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="patched-counter",
            launcher=("walks_to_the_data", "silences_audit_hooks_patched_counter"),
        ),
        Variant(
            name="interrupted", launcher=("walks_to_the_data", "silences_audit_hooks_interrupted")
        ),
    ),
)
