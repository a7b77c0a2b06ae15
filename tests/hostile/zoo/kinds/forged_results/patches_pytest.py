"""The launcher patches pytest so that every test passes, and writes zeros."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED, Verdict.NOT_TRITON}, caught_by={Check.VALUES}),
    variants=(
        Variant(name="reports", edits=(WRITES_ZEROS,), launcher=("patches_pytest_reports",)),
        Variant(
            name="test-functions",
            edits=(WRITES_ZEROS,),
            launcher=("patches_pytest_test_functions",),
        ),
    ),
)
