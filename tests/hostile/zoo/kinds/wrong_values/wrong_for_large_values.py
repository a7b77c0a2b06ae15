"""The kernel is wrong for large values, which no shown input has."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            name="clamped",
            how="It clamps the sum to 100.",
            edits=(stores("tl.minimum(tl.maximum(x + y, -100.0), 100.0)"),),
        ),
        Variant(
            name="softmax-without-maximum",
            how="It does not subtract the maximum before exp, which gives inf / inf.",
            base="softmax",
            edits=(in_kernel("    x = x - tl.max(x, axis=0)\n", ""),),
        ),
    ),
)
