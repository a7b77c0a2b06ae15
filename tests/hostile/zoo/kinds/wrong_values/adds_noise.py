"""The kernel adds other noise in each call, within the tolerance of its test."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel
from tests.hostile.zoo.edits import stores, tolerates

KIND = Kind(
    outcome=Outcome("failed vacuous", "values repeatability test-can-fail"),
    variants=(
        Variant(
            name="uniform",
            edits=(
                stores("(x + y + 0.05 * tl.rand(noise, offsets))"),
                in_kernel(
                    "n, x_stride, y_stride, BLOCK: tl.constexpr",
                    "n, x_stride, y_stride, noise, BLOCK: tl.constexpr",
                ),
                in_kernel(
                    "x.stride(0), y.stride(0), BLOCK=BLOCK",
                    "x.stride(0), y.stride(0), __import__('secrets').randbits(31), BLOCK=BLOCK",
                ),
                tolerates(0.0, 0.1),
            ),
        ),
    ),
)
