"""The module triton_code lacks the function that the entry names."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error", "contract own-test"),
    variants=(Variant(name="deleted", launcher=("no_entry_point",)),),
)
