"""The test compares a number that says little about the answers."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import compares_by

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
    variants=(
        Variant(
            name="means",
            edits=(compares_by("abs(actual.float().mean() - expected.float().mean()) < 1.0"),),
        ),
        Variant(
            name="norms",
            edits=(
                compares_by("torch.allclose(actual.norm(), expected.norm(), rtol=0.5, atol=5.0)"),
            ),
        ),
        Variant(name="dtypes", edits=(compares_by("actual.dtype == expected.dtype"),)),
    ),
)
