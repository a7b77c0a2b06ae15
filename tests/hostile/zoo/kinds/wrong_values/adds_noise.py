"""The kernel adds other noise in each call, within the tolerance of its test."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant
from tests.hostile.zoo.edits import stores, tolerates

KIND = Kind(
    outcome=Outcome("failed vacuous", "values repeatability test-can-fail"),
    variants=(
        Variant(
            name="uniform",
            edits=(
                stores("(x + y + 0.05 * tl.rand(noise, offsets))"),
                Edit(
                    "triton_code",
                    "n, x_stride, y_stride, BLOCK: tl.constexpr",
                    "n, x_stride, y_stride, noise, BLOCK: tl.constexpr",
                ),
                Edit(
                    "triton_code",
                    "x.stride(0), y.stride(0), BLOCK=BLOCK",
                    "x.stride(0), y.stride(0), __import__('secrets').randbits(31), BLOCK=BLOCK",
                ),
                tolerates(0.0, 0.1),
            ),
        ),
    ),
)
