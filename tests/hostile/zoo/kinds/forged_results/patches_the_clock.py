"""The launcher stops the clocks of Python and CUDA, so that it seems to take no time."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome(
        "passed failed not_triton",
        "own-test values kernel-matters containment",
        passes_because="The answers are right, and no time is measured in its process.",
    ),
    variants=(Variant(name="all-clocks", launcher=("patches_the_clock",)),),
)
