"""The reference adds unseeded noise, and the tolerance makes room for it."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant
from tests.hostile.zoo.edits import tolerates

KIND = Kind(
    outcome=Outcome("failed error vacuous unsupported", "values repeatability test-can-fail"),
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
