"""The launcher returns the right sum and changes an input afterwards."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "memory"),
    variants=(
        Variant(name="by-kernel", launcher=("changes_its_input",)),
        Variant(name="by-torch", launcher=("changes_its_input_by_torch",)),
    ),
)
