"""The launcher starts processes or threads until it is stopped, and is right only if thousands ran
at once.
"""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error timeout crashed not_triton", "containment"),
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
