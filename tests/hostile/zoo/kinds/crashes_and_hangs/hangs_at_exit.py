"""The launcher is right, and leaves a thread that keeps its process from ending."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome(
        "passed failed error timeout not_triton",
        "containment",
        passes_because="The answers are right, and the process is gone afterwards.",
    ),
    variants=(Variant(name="thread", launcher=("hangs_at_exit",), dangers={Danger.HANGS}),),
)
