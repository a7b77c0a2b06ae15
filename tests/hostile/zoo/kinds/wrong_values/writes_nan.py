"""The kernel writes NaN, and the test compares finite elements only."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import compares_only, stores

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.VACUOUS}, caught_by={Check.VALUES, Check.TEST_CAN_FAIL}
    ),
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
