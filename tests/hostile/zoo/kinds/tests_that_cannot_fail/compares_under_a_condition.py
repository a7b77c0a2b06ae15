"""The test compares only under a condition that never holds."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="many-gpus",
            edits=(
                in_test(
                    "    assert torch.allclose(",
                    ("    if torch.cuda.device_count() > 64:\n        assert torch.allclose("),
                ),
            ),
        ),
    ),
)
