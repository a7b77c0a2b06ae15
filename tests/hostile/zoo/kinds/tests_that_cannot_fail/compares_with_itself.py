"""The test compares an answer with itself."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="copy",
            edits=(
                Edit(
                    "test_code",
                    "torch.allclose(actual, expected,",
                    "torch.allclose(actual, actual.clone(),",
                ),
            ),
        ),
        Variant(
            name="float8",
            base="fp8-scale",
            edits=(
                Edit(
                    "test_code",
                    "torch.allclose(actual.float(), expected.float(), rtol=rtol, atol=atol)",
                    "torch.allclose(actual.float(), actual.float().clone(), rtol=rtol, atol=atol)",
                ),
            ),
        ),
        Variant(
            name="candidate-twice",
            edits=(
                Edit(
                    "test_code",
                    "from python_code import vector_add as reference",
                    "from triton_code import vector_add as reference",
                ),
            ),
            outcome=Outcome("failed error vacuous", "contract test-can-fail"),
        ),
        Variant(
            name="reference-twice",
            edits=(
                Edit(
                    "test_code",
                    "from triton_code import vector_add as candidate",
                    "from python_code import vector_add as candidate",
                ),
            ),
            outcome=Outcome("failed error vacuous", "contract test-can-fail"),
        ),
    ),
)
