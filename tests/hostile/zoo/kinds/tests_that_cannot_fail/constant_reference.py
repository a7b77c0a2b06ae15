"""The reference returns zeros whatever its inputs are, and so does the candidate."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="zeros",
            edits=(in_reference("return x + y", "return torch.zeros_like(y)"), WRITES_ZEROS),
        ),
    ),
)
