"""The launcher prints 8 GB, and is right only if all were taken."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED},
        caught_by={Check.OWN_TEST, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="both-streams",
            launcher=("floods_its_output",),
            dangers={Danger.DISK, Danger.MEMORY, Danger.HANGS},
        ),
    ),
)
