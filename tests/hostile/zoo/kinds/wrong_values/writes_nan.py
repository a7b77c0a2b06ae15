"""The kernel writes NaN, and the test compares finite elements only."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import compares_only, stores

KIND = Kind(
    outcome=Outcome("failed vacuous", "values test-can-fail"),
    variants=(
        Variant(
            name="everywhere",
            edits=(
                stores("tl.full((BLOCK,), float('nan'), tl.float32)"),
                compares_only("[actual.isfinite()]"),
            ),
        ),
    ),
)
