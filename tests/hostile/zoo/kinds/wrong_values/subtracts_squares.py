"""The variance is the mean of squares less the squared mean, which cancels far from zero."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED}, caught_by={Check.VARIATIONS}),
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
