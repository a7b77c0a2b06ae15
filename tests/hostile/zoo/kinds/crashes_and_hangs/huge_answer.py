"""The launcher returns an answer that no memory can hold."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "values containment"),
    variants=(
        Variant(
            name="tebibyte-view", launcher=("huge_answer_tebibyte_view",), dangers={Danger.MEMORY}
        ),
        Variant(
            name="recursive-list",
            launcher=("huge_answer_recursive_list",),
            outcome=Outcome("failed error timeout crashed", "values"),
        ),
    ),
)
