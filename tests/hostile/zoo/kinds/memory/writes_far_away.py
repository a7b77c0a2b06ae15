"""The kernel writes at an address that belongs to no tensor."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed error crashed", "own-test bounds containment"),
    variants=(
        Variant(
            name="terabytes",
            edits=(
                in_kernel(
                    "tl.store(out_ptr + offsets,",
                    "tl.store(out_ptr + (offsets.to(tl.int64) + 1) * (1 << 40),",
                ),
            ),
        ),
    ),
)
