"""make_inputs does not follow the seed of its case."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("failed error vacuous", "contract variations test-can-fail"),
    variants=(
        Variant(name="fixed", edits=(in_test('manual_seed(case["seed"])', "manual_seed(0)"),)),
        Variant(
            name="unseeded",
            edits=(
                in_test(
                    'torch.Generator().manual_seed(case["seed"])',
                    "torch.default_generator; generator.seed()",
                ),
            ),
            outcome=Outcome(
                "failed error vacuous unsupported", "contract values repeatability test-can-fail"
            ),
        ),
    ),
)
