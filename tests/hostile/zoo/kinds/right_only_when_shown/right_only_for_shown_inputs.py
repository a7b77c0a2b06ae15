"""The launcher recognizes the inputs of its test, and returns zeros for all others."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED}, caught_by={Check.VARIATIONS}),
    variants=(
        Variant(name="sizes", launcher=("right_only_for_shown_inputs_sizes",)),
        Variant(
            name="first-elements",
            launcher=("right_only_for_shown_inputs_first_elements",),
            outcome=Outcome(expected={Verdict.FAILED}, caught_by={Check.VALUES, Check.VARIATIONS}),
        ),
    ),
)
