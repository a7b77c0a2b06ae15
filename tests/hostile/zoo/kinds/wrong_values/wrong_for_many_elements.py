"""The kernel is right up to a number of elements that no case exceeds."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed error", "variations bounds"),
    variants=(
        Variant(
            name="programs",
            how="It launches 32 programs at most.",
            edits=(
                in_kernel(
                    "grid = (triton.cdiv(n, BLOCK),)", "grid = (min(32, triton.cdiv(n, BLOCK)),)"
                ),
            ),
        ),
        Variant(
            name="offsets",
            how="Its offsets have 16 bits.",
            edits=(
                in_kernel(
                    "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
                    "(tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int16)",
                ),
            ),
        ),
    ),
)
