"""The test has a tolerance that hides wrong answers."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import tolerates

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS, Verdict.WEAK}, caught_by={Check.TEST_CAN_FAIL}),
    variants=(
        Variant(
            name="everything",
            edits=(tolerates(1e9, 1e9),),
            outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
        ),
        Variant(name="ten-percent", edits=(tolerates(1e-1, 1e-1),)),
        Variant(name="one", edits=(tolerates(0.0, 1.0),)),
    ),
)
