"""The reference calls the candidate."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON, Verdict.VACUOUS},
        caught_by={Check.CONTRACT, Check.VALUES, Check.TEST_CAN_FAIL},
    ),
    variants=(
        Variant(
            name="import",
            edits=(
                Edit(
                    "python_code",
                    "return x + y",
                    "return __import__('triton_code').vector_add(x, y)",
                ),
                stores("(x - y)"),
            ),
        ),
    ),
)
