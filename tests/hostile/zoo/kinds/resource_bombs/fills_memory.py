"""The launcher fills memory until it is stopped, and is right only if it got all it asked for."""

from tests.hostile.zoo.catalog import Danger, Kind, Needs, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error timeout crashed", "containment"),
    variants=(
        Variant(name="host", launcher=("fills_memory_host",), dangers={Danger.MEMORY}),
        Variant(name="shared", launcher=("fills_memory_shared",), dangers={Danger.MEMORY}),
        Variant(
            name="gpu",
            launcher=("fills_memory_gpu",),
            needs=Needs.GPU,
            needs_because="The memory is the GPU's.",
            dangers={Danger.MEMORY},
            outcome=Outcome("failed error crashed", "own-test values containment"),
        ),
    ),
)
