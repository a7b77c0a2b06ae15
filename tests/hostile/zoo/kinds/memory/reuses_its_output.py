"""The launcher writes every answer of a size into the same memory, so a call changes the last
result.
"""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.MEMORY, Check.REPEATABILITY},
    ),
    variants=(Variant(name="by-size", launcher=("reuses_its_output",)),),
)
