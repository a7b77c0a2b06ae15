"""Objects compute with torch when the garbage collector frees them."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.CONTRACT, Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="during-the-launch",
            launcher=("adds_when_called", "finalizer_computes_during_the_launch"),
        ),
        Variant(name="after-the-call", launcher=("finalizer_computes_after_the_call",)),
    ),
)
