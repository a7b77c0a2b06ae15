"""The test accepts answers that are far apart."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import compares_by

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS, Verdict.WEAK}, caught_by={Check.TEST_CAN_FAIL}),
    variants=(
        Variant(
            name="rounded",
            edits=(compares_by("(actual.round() - expected.round()).abs().max() <= 2"),),
        ),
        Variant(
            name="any-element",
            edits=(compares_by("torch.isclose(actual, expected, rtol=rtol, atol=atol).any()"),),
            outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
        ),
    ),
)
