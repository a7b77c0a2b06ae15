"""The launcher patches pytest so that every test passes, and writes zeros."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed not_triton", "values"),
    variants=(
        Variant(name="reports", edits=(WRITES_ZEROS,), launcher=("patches_pytest_reports",)),
        Variant(
            name="test-functions",
            edits=(WRITES_ZEROS,),
            launcher=("patches_pytest_test_functions",),
        ),
    ),
)
