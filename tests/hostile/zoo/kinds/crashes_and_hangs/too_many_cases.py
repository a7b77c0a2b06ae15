"""CASES is a list of ten million cases."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant
from tests.hostile.zoo.edits import before_the_test

KIND = Kind(
    outcome=Outcome("failed error timeout crashed unsupported", "contract containment"),
    variants=(
        Variant(
            name="ten-million",
            edits=(before_the_test("CASES = CASES * 2_000_000"),),
            dangers={Danger.HANGS, Danger.MEMORY},
        ),
    ),
)
