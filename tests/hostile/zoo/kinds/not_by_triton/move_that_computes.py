"""Torch computes by an operation that looks like a copy."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(Variant(name="negative", launcher=("move_that_computes",)),),
)
