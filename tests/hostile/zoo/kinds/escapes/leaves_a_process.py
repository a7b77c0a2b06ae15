"""The launcher is right, and leaves a process in its own session that holds every pipe open."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={
            Verdict.PASSED,
            Verdict.FAILED,
            Verdict.ERROR,
            Verdict.TIMEOUT,
            Verdict.CRASHED,
            Verdict.NOT_TRITON,
        },
        caught_by={Check.CONTAINMENT},
        passes_because="The answers are right, and nothing is left behind.",
    ),
    variants=(
        Variant(
            name="new-session", launcher=("leaves_a_process",), dangers={Danger.FORKS, Danger.HANGS}
        ),
    ),
)
