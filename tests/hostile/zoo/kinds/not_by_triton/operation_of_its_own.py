"""Torch computes within an operation that the entry registered."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton mixed", "values kernel-matters"),
    variants=(
        Variant(name="own-name", launcher=("operation_of_its_own_own_name",)),
        Variant(
            name="named-clone",
            how="The operation is named like one of torch's that moves data.",
            launcher=("operation_of_its_own_named_clone",),
            outcome=Outcome("failed error not_triton mixed", "values kernel-matters containment"),
        ),
    ),
)
