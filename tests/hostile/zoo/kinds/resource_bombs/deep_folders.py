"""The launcher makes folders so deep that counting or removing them fails."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed", "containment"),
    variants=(Variant(name="four-thousand", launcher=("deep_folders",), dangers={Danger.DISK}),),
)
