"""The test compares an answer with itself."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
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
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS},
                caught_by={Check.CONTRACT, Check.TEST_CAN_FAIL},
            ),
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
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS},
                caught_by={Check.CONTRACT, Check.TEST_CAN_FAIL},
            ),
        ),
    ),
)
