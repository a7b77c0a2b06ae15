"""The reference adds in place, and the candidate copies what it finds."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome("failed error", "values memory"),
    variants=(
        Variant(
            name="in-place", edits=(in_reference("return x + y", "return x.add_(y)"), stores("x"))
        ),
    ),
)
