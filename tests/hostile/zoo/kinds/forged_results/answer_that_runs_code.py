"""The launcher returns a tensor that runs code when it is unpickled or copied."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "values memory"),
    variants=(
        Variant(name="tensor", launcher=("answer_that_runs_code_tensor",)),
        Variant(
            name="attribute",
            launcher=("answer_that_runs_code_attribute",),
            outcome=Outcome(
                "passed failed error crashed not_triton",
                "values containment",
                passes_because="The output is right, and the attribute stays behind.",
            ),
        ),
    ),
)
