"""Every case of the test is empty, so any answer is right."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import before_the_test

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
    variants=(
        Variant(
            name="vectors", edits=(before_the_test('CASES = [{**case, "n": 0} for case in CASES]'),)
        ),
    ),
)
