"""The mask ends one element early, and the test leaves that element out."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant
from tests.hostile.zoo.edits import compares_only

KIND = Kind(
    outcome=Outcome("failed vacuous", "values memory test-can-fail"),
    variants=(
        Variant(
            name="vector",
            edits=(
                Edit("triton_code", "mask = offsets < n\n", "mask = offsets < n - 1\n"),
                compares_only("[:-1]"),
            ),
        ),
        Variant(
            name="column-of-softmax",
            base="softmax",
            edits=(
                Edit(
                    "triton_code",
                    "out.to(out_ptr.dtype.element_ty), mask=mask)",
                    "out.to(out_ptr.dtype.element_ty), mask=offsets < columns - 1)",
                ),
                compares_only("[:, :-1]"),
            ),
        ),
    ),
)
