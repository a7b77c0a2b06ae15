"""The reference returns zeros whatever its inputs are, and so does the candidate."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED, Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
    variants=(
        Variant(
            name="zeros",
            edits=(Edit("python_code", "return x + y", "return torch.zeros_like(y)"), WRITES_ZEROS),
        ),
    ),
)
