"""The test has a tolerance that hides wrong answers."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import tolerates

KIND = Kind(
    outcome=Outcome("vacuous weak", "test-can-fail"),
    variants=(
        Variant(
            name="everything",
            edits=(tolerates(1e9, 1e9),),
            outcome=Outcome("vacuous", "test-can-fail"),
        ),
        Variant(name="ten-percent", edits=(tolerates(1e-1, 1e-1),)),
        Variant(name="one", edits=(tolerates(0.0, 1.0),)),
    ),
)
