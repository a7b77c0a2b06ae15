"""The test compares only under a condition that never holds."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
    variants=(
        Variant(
            name="many-gpus",
            edits=(
                Edit(
                    "test_code",
                    "    assert torch.allclose(",
                    ("    if torch.cuda.device_count() > 64:\n        assert torch.allclose("),
                ),
            ),
        ),
    ),
)
