"""The launcher finds the harness's own objects and changes them."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="classes",
            launcher=("finds_the_watcher_classes",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
                caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
            ),
        ),
        Variant(name="dispatch-modes", launcher=("finds_the_watcher_dispatch_modes",)),
    ),
)
