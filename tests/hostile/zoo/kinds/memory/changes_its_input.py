"""The launcher returns the right sum and changes an input afterwards."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED}, caught_by={Check.MEMORY}),
    variants=(
        Variant(name="by-kernel", launcher=("changes_its_input",)),
        Variant(name="by-torch", launcher=("changes_its_input_by_torch",)),
    ),
)
