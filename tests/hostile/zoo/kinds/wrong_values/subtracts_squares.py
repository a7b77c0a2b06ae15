"""The variance is the mean of squares less the squared mean, which cancels far from zero."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            name="variance",
            base="mean-variance",
            edits=(
                Edit("triton_code", "other=mean)", "other=0.0)"),
                Edit("triton_code", "squares += (x - mean) * (x - mean)", "squares += x * x"),
                Edit(
                    "triton_code",
                    "tl.sum(squares, axis=0) / columns)",
                    "tl.sum(squares, axis=0) / columns - mean * mean)",
                ),
            ),
        ),
    ),
)
