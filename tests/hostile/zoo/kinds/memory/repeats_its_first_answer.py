"""The launcher keeps its first answer for each size and dtype, and returns it for all later
inputs.
"""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VARIATIONS, Check.MEMORY, Check.REPEATABILITY},
    ),
    variants=(Variant(name="by-size", launcher=("repeats_its_first_answer",)),),
)
