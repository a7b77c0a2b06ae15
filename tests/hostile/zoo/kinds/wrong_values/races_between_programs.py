"""The answer is right only if the programs of a launch run one after another in their order."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed error", "own-test values memory"),
    variants=(
        Variant(
            name="carry",
            how="Each program reads the last sum of the one before it.",
            base="long-cumsum",
            launcher=("races_between_programs_carry",),
        ),
        Variant(
            name="carry-with-an-atomic",
            how="An atomic operation beside the carry orders nothing.",
            base="long-cumsum",
            launcher=("races_between_programs_carry_with_an_atomic",),
        ),
        Variant(
            name="carry-that-seems-to-wait",
            how="A program that comes too early reads on and on, as if it waited.",
            base="long-cumsum",
            launcher=("races_between_programs_carry_that_seems_to_wait",),
        ),
        Variant(
            name="unfinished-sums",
            how="The last program adds the partial sums of all, which may not be there yet.",
            base="atomic-sum",
            launcher=("races_between_programs_unfinished_sums",),
        ),
        Variant(
            name="shift-in-place",
            how="Each program reads an element that the next one writes to.",
            launcher=("races_between_programs_shift_in_place",),
        ),
        Variant(
            name="overlapping-stores",
            how="Each program clears the beginning of the next block.",
            edits=(
                in_kernel(
                    "    tl.store(out_ptr + offsets,",
                    "    tl.store(out_ptr + offsets + BLOCK, x * 0, mask=offsets + BLOCK < n)\n"
                    "    tl.store(out_ptr + offsets,",
                ),
            ),
        ),
    ),
)
