"""The kernel skips NaN where the reference returns it, and the test has no NaN."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test

KIND = Kind(
    outcome=Outcome("failed differs", "values variations"),
    variants=(
        Variant(
            name="maximum",
            base="global-max",
            edits=(
                in_kernel('tl.where(nans > 0, float("nan"), largest)', "largest"),
                in_test('"nan": True', '"nan": False'),
            ),
        ),
        Variant(
            name="argmax",
            base="row-argmax",
            edits=(in_kernel('tl.where(nans > 0, float("nan"), best)', "best"),),
        ),
    ),
)
