"""The reference adds unseeded noise, and the tolerance makes room for it."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import tolerates

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS, Verdict.UNSUPPORTED},
        caught_by={Check.VALUES, Check.REPEATABILITY, Check.TEST_CAN_FAIL},
    ),
    variants=(
        Variant(
            name="uniform",
            edits=(
                Edit("python_code", "return x + y", "return x + y + torch.rand_like(y)"),
                tolerates(0.0, 1.1),
            ),
        ),
    ),
)
