"""The launcher raises an error that harms the process which prints it."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "own-test values containment"),
    variants=(
        Variant(name="exits", launcher=("hostile_error_exits",)),
        Variant(
            name="one-gigabyte",
            launcher=("hostile_error_one_gigabyte",),
            outcome=Outcome("failed error timeout crashed", "own-test values containment"),
            dangers={Danger.MEMORY, Danger.HANGS},
        ),
    ),
)
