"""The launcher is right only if it can kill another process and survives that."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error timeout crashed not_triton", "own-test containment"),
    variants=(
        Variant(name="parent", launcher=("kills_others_parent",), dangers={Danger.KILLS}),
        Variant(name="family", launcher=("kills_others_family",), dangers={Danger.KILLS}),
    ),
)
