"""The kernel loads, adds and stores where several lanes or blocks add to one place."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "own-test values"),
    variants=(
        Variant(
            name="within-a-block",
            base="histogram",
            edits=(
                Edit(
                    "triton_code",
                    "tl.atomic_add(out_ptr + x, 1, mask=mask)",
                    "tl.store(out_ptr + x, tl.load(out_ptr + x, mask=mask) + 1, mask=mask)",
                ),
            ),
        ),
        Variant(
            name="between-blocks",
            base="atomic-sum",
            edits=(
                Edit(
                    "triton_code",
                    "tl.atomic_add(out_ptr, tl.sum(x * weight, axis=0))",
                    "tl.store(out_ptr, tl.load(out_ptr) + tl.sum(x * weight, axis=0))",
                ),
            ),
            outcome=Outcome("failed", "own-test values repeatability"),
        ),
    ),
)
