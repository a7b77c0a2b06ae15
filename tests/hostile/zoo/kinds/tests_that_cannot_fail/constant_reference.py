"""The reference returns zeros whatever its inputs are, and so does the candidate."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="zeros",
            edits=(Edit("python_code", "return x + y", "return torch.zeros_like(y)"), WRITES_ZEROS),
        ),
    ),
)
