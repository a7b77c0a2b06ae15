"""The launcher is right, and leaves a process in its own session that holds every pipe open."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome(
        "passed failed error timeout crashed not_triton",
        "containment",
        passes_because="The answers are right, and nothing is left behind.",
    ),
    variants=(
        Variant(
            name="new-session", launcher=("leaves_a_process",), dangers={Danger.FORKS, Danger.HANGS}
        ),
    ),
)
