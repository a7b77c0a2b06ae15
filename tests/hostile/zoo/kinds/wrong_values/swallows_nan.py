"""The kernel skips NaN where the reference returns it, and the test has no NaN."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed differs", "values variations"),
    variants=(
        Variant(
            name="maximum",
            base="global-max",
            edits=(
                Edit("triton_code", 'tl.where(nans > 0, float("nan"), largest)', "largest"),
                Edit("test_code", '"nan": True', '"nan": False'),
            ),
        ),
        Variant(
            name="argmax",
            base="row-argmax",
            edits=(Edit("triton_code", 'tl.where(nans > 0, float("nan"), best)', "best"),),
        ),
    ),
)
