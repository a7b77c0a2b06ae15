"""The kernel uses a name that nothing defines."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome("failed error", "own-test values"),
    variants=(Variant(name="unknown-name", edits=(stores("(x + plus_one(y))"),)),),
)
