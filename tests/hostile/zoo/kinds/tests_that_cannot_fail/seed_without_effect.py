"""make_inputs does not follow the seed of its case."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS},
        caught_by={Check.CONTRACT, Check.VARIATIONS, Check.TEST_CAN_FAIL},
    ),
    variants=(
        Variant(
            name="fixed", edits=(Edit("test_code", 'manual_seed(case["seed"])', "manual_seed(0)"),)
        ),
        Variant(
            name="unseeded",
            edits=(
                Edit(
                    "test_code",
                    'torch.Generator().manual_seed(case["seed"])',
                    "torch.default_generator; generator.seed()",
                ),
            ),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS, Verdict.UNSUPPORTED},
                caught_by={Check.CONTRACT, Check.VALUES, Check.REPEATABILITY, Check.TEST_CAN_FAIL},
            ),
        ),
    ),
)
