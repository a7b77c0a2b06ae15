"""The test compares an answer with itself."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="copy",
            edits=(
                in_test(
                    "torch.allclose(actual, expected,", "torch.allclose(actual, actual.clone(),"
                ),
            ),
        ),
        Variant(
            name="float8",
            base="fp8-scale",
            edits=(
                in_test(
                    "torch.allclose(actual.float(), expected.float(), rtol=rtol, atol=atol)",
                    "torch.allclose(actual.float(), actual.float().clone(), rtol=rtol, atol=atol)",
                ),
            ),
        ),
        Variant(
            name="candidate-twice",
            edits=(
                in_test(
                    "from python_code import vector_add as reference",
                    "from triton_code import vector_add as reference",
                ),
            ),
            outcome=Outcome("failed error vacuous", "contract test-can-fail"),
        ),
        Variant(
            name="reference-twice",
            edits=(
                in_test(
                    "from triton_code import vector_add as candidate",
                    "from python_code import vector_add as candidate",
                ),
            ),
            outcome=Outcome("failed error vacuous", "contract test-can-fail"),
        ),
    ),
)
