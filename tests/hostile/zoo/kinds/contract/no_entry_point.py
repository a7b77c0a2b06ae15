"""The module triton_code lacks the function that the entry names."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR}, caught_by={Check.CONTRACT, Check.OWN_TEST}
    ),
    variants=(Variant(name="deleted", launcher=("no_entry_point",)),),
)
