"""The kernel is right up to a number of elements that no case exceeds."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error", "variations bounds"),
    variants=(
        Variant(
            name="programs",
            how="It launches 32 programs at most.",
            edits=(
                Edit(
                    "triton_code",
                    "grid = (triton.cdiv(n, BLOCK),)",
                    "grid = (min(32, triton.cdiv(n, BLOCK)),)",
                ),
            ),
        ),
        Variant(
            name="offsets",
            how="Its offsets have 16 bits.",
            edits=(
                Edit(
                    "triton_code",
                    "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
                    "(tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int16)",
                ),
            ),
        ),
    ),
)
