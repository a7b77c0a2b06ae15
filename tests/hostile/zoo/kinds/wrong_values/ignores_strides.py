"""The kernel reads its input as contiguous, and the test has contiguous inputs only."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            name="vector",
            edits=(
                Edit("triton_code", "offsets * x_stride", "offsets"),
                Edit("test_code", '"step": 2', '"step": 1'),
                Edit("test_code", '"step": 3', '"step": 1'),
            ),
        ),
        Variant(
            name="list-of-vectors",
            base="concatenate",
            edits=(
                Edit("triton_code", "offsets * stride", "offsets"),
                Edit("test_code", '"step": 3', '"step": 1'),
            ),
        ),
        Variant(
            name="maximum",
            base="global-max",
            edits=(
                Edit("triton_code", "offsets.to(tl.int64) * stride", "offsets"),
                Edit("test_code", '"step": 2', '"step": 1'),
            ),
        ),
        Variant(
            name="of-the-gradient",
            base="gelu",
            edits=(Edit("triton_code", "grad.contiguous()", "grad"),),
            how="Of the gradient that flows into the output.",
        ),
    ),
)
