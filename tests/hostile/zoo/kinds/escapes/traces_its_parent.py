"""The launcher is right only if it can open the memory of its parent."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.CONTAINMENT},
    ),
    variants=(Variant(name="memory", launcher=("traces_its_parent",)),),
)
