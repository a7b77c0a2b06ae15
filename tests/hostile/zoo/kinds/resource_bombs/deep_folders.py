"""The launcher makes folders so deep that counting or removing them fails."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED}, caught_by={Check.CONTAINMENT}
    ),
    variants=(Variant(name="four-thousand", launcher=("deep_folders",), dangers={Danger.DISK}),),
)
