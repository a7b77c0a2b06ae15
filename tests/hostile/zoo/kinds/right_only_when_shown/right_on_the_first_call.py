"""The launcher is right once for each size and dtype, and returns zeros from then on."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED}, caught_by={Check.VALUES, Check.REPEATABILITY}),
    variants=(Variant(name="by-size", launcher=("right_on_the_first_call",)),),
)
