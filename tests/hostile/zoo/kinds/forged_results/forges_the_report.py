"""The launcher writes a verdict into every open file, every pipe and every JSON file around, and
exits.
"""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.VALUES, Check.CONTAINMENT},
    ),
    variants=(Variant(name="all-files", launcher=("forges_the_report",)),),
)
