"""The launcher stops the clocks of Python and CUDA, so that it seems to take no time."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.PASSED, Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
        passes_because="The answers are right, and no time is measured in its process.",
    ),
    variants=(Variant(name="all-clocks", launcher=("patches_the_clock",)),),
)
