"""The kernel stores something that does not depend on all of its inputs."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel
from tests.hostile.zoo.edits import WRITES_ZEROS, stores

KIND = Kind(
    outcome=Outcome("failed", "own-test values"),
    variants=(
        Variant(name="zeros", edits=(WRITES_ZEROS,)),
        Variant(name="threes", edits=(stores("tl.full((BLOCK,), 3.0, tl.float32)"),)),
        Variant(name="first-input-only", edits=(stores("x"),)),
        Variant(name="second-input-only", edits=(stores("y"),)),
        Variant(
            name="first-row-only",
            base="softmax",
            edits=(in_kernel("x_ptr + row * row_stride", "x_ptr"),),
        ),
    ),
)
