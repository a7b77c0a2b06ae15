"""The mask ends one element early, and the test leaves that element out."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel
from tests.hostile.zoo.edits import compares_only

KIND = Kind(
    outcome=Outcome("failed vacuous", "values memory test-can-fail"),
    variants=(
        Variant(
            name="vector",
            edits=(
                in_kernel("mask = offsets < n\n", "mask = offsets < n - 1\n"),
                compares_only("[:-1]"),
            ),
        ),
        Variant(
            name="column-of-softmax",
            base="softmax",
            edits=(
                in_kernel(
                    "out.to(out_ptr.dtype.element_ty), mask=mask)",
                    "out.to(out_ptr.dtype.element_ty), mask=offsets < columns - 1)",
                ),
                compares_only("[:, :-1]"),
            ),
        ),
    ),
)
