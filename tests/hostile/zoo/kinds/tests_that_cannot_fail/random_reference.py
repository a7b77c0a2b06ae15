"""The reference adds unseeded noise, and the tolerance makes room for it."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference
from tests.hostile.zoo.edits import tolerates

KIND = Kind(
    outcome=Outcome("failed error vacuous unsupported", "values repeatability test-can-fail"),
    variants=(
        Variant(
            name="uniform",
            edits=(
                in_reference("return x + y", "return x + y + torch.rand_like(y)"),
                tolerates(0.0, 1.1),
            ),
        ),
    ),
)
