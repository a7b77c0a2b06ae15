"""The launcher patches torch so that the reference returns zeros, and writes zeros."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed not_triton", "values"),
    variants=(
        Variant(name="patched-add", edits=(WRITES_ZEROS,), launcher=("poisons_the_reference",)),
    ),
)
