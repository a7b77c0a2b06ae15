"""The launcher is right, and leaves a thread that keeps its process from ending."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={
            Verdict.PASSED,
            Verdict.FAILED,
            Verdict.ERROR,
            Verdict.TIMEOUT,
            Verdict.NOT_TRITON,
        },
        caught_by={Check.CONTAINMENT},
        passes_because="The answers are right, and the process is gone afterwards.",
    ),
    variants=(Variant(name="thread", launcher=("hangs_at_exit",), dangers={Danger.HANGS}),),
)
