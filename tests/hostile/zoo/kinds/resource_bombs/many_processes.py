"""The launcher starts processes or threads until it is stopped, and is right only if thousands ran
at once.
"""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={
            Verdict.FAILED,
            Verdict.ERROR,
            Verdict.TIMEOUT,
            Verdict.CRASHED,
            Verdict.NOT_TRITON,
        },
        caught_by={Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="forks", launcher=("many_processes_forks",), dangers={Danger.FORKS, Danger.MEMORY}
        ),
        Variant(
            name="threads",
            launcher=("many_processes_threads",),
            dangers={Danger.FORKS, Danger.MEMORY},
        ),
    ),
)
