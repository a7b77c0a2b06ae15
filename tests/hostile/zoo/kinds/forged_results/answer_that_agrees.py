"""The launcher returns an object that answers every comparison with yes."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton", "values"),
    variants=(
        Variant(name="object", launcher=("answer_that_agrees_object",)),
        Variant(name="tensor-subclass", launcher=("answer_that_agrees_tensor_subclass",)),
    ),
)
