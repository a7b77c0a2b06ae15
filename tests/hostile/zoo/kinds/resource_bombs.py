"""Entries that use up the machine."""

from tests.hostile.zoo.catalog import Danger, Kind, Needs, Outcome, Variant

DEEP_FOLDERS = Kind(
    "The launcher makes folders so deep that counting or removing them fails.",
    outcome=Outcome("failed error crashed", "containment"),
    variants=(Variant("four-thousand", dangers={Danger.DISK}),),
)

FILLS_MEMORY = Kind(
    "The launcher fills memory until it is stopped, and is right only if it got all it asked for.",
    outcome=Outcome("failed error timeout crashed", "containment"),
    variants=(
        Variant("host", dangers={Danger.MEMORY}),
        Variant("shared", dangers={Danger.MEMORY}),
        Variant(
            "gpu",
            needs=Needs.GPU,
            needs_because="The memory is the GPU's.",
            dangers={Danger.MEMORY},
            outcome=Outcome("failed error crashed", "own-test values containment"),
        ),
    ),
)

FILLS_THE_DISK = Kind(
    "The launcher fills every writable place, and is right only if it wrote all it wanted.",
    outcome=Outcome("failed error timeout crashed", "own-test containment"),
    variants=(
        Variant("bytes", dangers={Danger.DISK, Danger.MEMORY}),
        Variant("files", dangers={Danger.DISK, Danger.HANGS}),
    ),
)

FLOODS_ITS_OUTPUT = Kind(
    "The launcher prints 8 GB, and is right only if all were taken.",
    outcome=Outcome("failed error timeout crashed", "own-test containment"),
    variants=(Variant("both-streams", dangers={Danger.DISK, Danger.MEMORY, Danger.HANGS}),),
)

MANY_PROCESSES = Kind(
    "The launcher starts processes or threads, and is right only if thousands ran at once.",
    outcome=Outcome("failed error timeout crashed not_triton", "containment"),
    variants=(
        Variant("forks", dangers={Danger.FORKS, Danger.MEMORY}),
        Variant("threads", dangers={Danger.FORKS, Danger.MEMORY}),
    ),
)
