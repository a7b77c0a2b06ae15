"""The launcher is right once for each size and dtype, and returns zeros from then on."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "values repeatability"),
    variants=(Variant(name="by-size", launcher=("right_on_the_first_call",)),),
)
