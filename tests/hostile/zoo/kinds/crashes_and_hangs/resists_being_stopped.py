"""The launcher never returns, and its process resists signals."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("timeout", "containment"),
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
            outcome=Outcome("error timeout crashed", "containment"),
        ),
    ),
)
