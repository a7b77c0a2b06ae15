"""The kernel loads, adds and stores where several lanes or blocks add to one place."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed", "own-test values"),
    variants=(
        Variant(
            name="within-a-block",
            base="histogram",
            edits=(
                in_kernel(
                    "tl.atomic_add(out_ptr + x, 1, mask=mask)",
                    "tl.store(out_ptr + x, tl.load(out_ptr + x, mask=mask) + 1, mask=mask)",
                ),
            ),
        ),
        Variant(
            name="between-blocks",
            base="atomic-sum",
            edits=(
                in_kernel(
                    "tl.atomic_add(out_ptr, tl.sum(x * weight, axis=0))",
                    "tl.store(out_ptr, tl.load(out_ptr) + tl.sum(x * weight, axis=0))",
                ),
            ),
            outcome=Outcome("failed", "own-test values repeatability"),
        ),
    ),
)
