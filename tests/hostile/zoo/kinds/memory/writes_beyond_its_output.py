"""The kernel writes one element outside its output."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed error crashed", "bounds"),
    variants=(
        Variant(
            name="after",
            edits=(in_kernel("element_ty), mask=mask)", "element_ty), mask=offsets <= n)"),),
        ),
        Variant(
            name="before",
            edits=(
                in_kernel(
                    "    tl.store(out_ptr + offsets,",
                    ("    tl.store(out_ptr - 1, 0.0)\n    tl.store(out_ptr + offsets,"),
                ),
            ),
        ),
        Variant(
            name="after-int8",
            base="saturating-add",
            edits=(
                in_kernel("total.to(tl.int8), mask=mask)", "total.to(tl.int8), mask=offsets <= n)"),
            ),
        ),
    ),
)
