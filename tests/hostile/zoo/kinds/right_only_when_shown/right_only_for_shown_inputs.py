"""The launcher recognizes the inputs of its test, and returns zeros for all others."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(name="sizes", launcher=("right_only_for_shown_inputs_sizes",)),
        Variant(
            name="first-elements",
            launcher=("right_only_for_shown_inputs_first_elements",),
            outcome=Outcome("failed", "values variations"),
        ),
    ),
)
