"""The launcher prints 8 GB, and is right only if all were taken."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error timeout crashed", "own-test containment"),
    variants=(
        Variant(
            name="both-streams",
            launcher=("floods_its_output",),
            dangers={Danger.DISK, Danger.MEMORY, Danger.HANGS},
        ),
    ),
)
