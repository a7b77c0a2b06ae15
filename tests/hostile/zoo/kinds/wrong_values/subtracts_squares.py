"""The variance is the mean of squares less the squared mean, which cancels far from zero."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            name="variance",
            base="mean-variance",
            edits=(
                in_kernel("other=mean)", "other=0.0)"),
                in_kernel("squares += (x - mean) * (x - mean)", "squares += x * x"),
                in_kernel(
                    "tl.sum(squares, axis=0) / columns)",
                    "tl.sum(squares, axis=0) / columns - mean * mean)",
                ),
            ),
        ),
    ),
)
