"""The launcher gives Triton an object that computes with torch when Triton looks at it."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(
        Variant(name="integer", launcher=("argument_computes_integer",)),
        Variant(name="like-a-tensor", launcher=("argument_computes_like_a_tensor",)),
    ),
)
