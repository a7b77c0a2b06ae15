"""The launcher never returns, and its process resists signals."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.TIMEOUT}, caught_by={Check.CONTAINMENT}),
    variants=(
        Variant(
            name="ignored-signals",
            launcher=("resists_being_stopped_ignored_signals",),
            dangers={Danger.HANGS},
        ),
        Variant(
            name="stopped",
            launcher=("resists_being_stopped_stopped",),
            dangers={Danger.HANGS},
            outcome=Outcome(
                expected={Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED},
                caught_by={Check.CONTAINMENT},
            ),
        ),
    ),
)
