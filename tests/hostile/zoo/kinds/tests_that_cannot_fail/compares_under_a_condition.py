"""The test compares only under a condition that never holds."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
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
