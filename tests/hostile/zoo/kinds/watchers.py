"""Attacks on a watcher in the launcher's process."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

ARGUMENT_COMPUTES = Kind(
    "The launcher gives Triton an object that computes with torch when Triton looks at it.",
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(Variant("integer"), Variant("like-a-tensor")),
)

FORGES_ITS_RECORDING = Kind(
    "The launcher deletes from its recording that torch computed the answer.",
    harmless_because="A recording without it is another program, and computes wrong answers.",
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(Variant("encoder"), Variant("instructions")),
)

GRID_COMPUTES = Kind(
    "The grid is a function that computes with torch during the launch.",
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed error not_triton", "contract values kernel-matters containment"),
    variants=(Variant("replaces-an-argument"),),
)

LAUNCHES_WITHIN_A_MODE = Kind(
    "The launcher launches within a dispatch mode of its own, which computes.",
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed not_triton", "values kernel-matters containment"),
    variants=(Variant("dispatch"),),
)

PATCHES_TORCH = Kind(
    "The launcher replaces an operation of torch that is called during the launch.",
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed error not_triton", "contract values kernel-matters containment"),
    variants=(Variant("operator"),),
)

PATCHES_TRITON = Kind(
    "The launcher patches Triton so that torch computes during the launch.",
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed error not_triton", "contract values kernel-matters containment"),
    variants=(
        Variant("kernel-methods"),
        Variant(
            "interpreter-class", launcher=("adds_when_called", "patches_triton_interpreter_class")
        ),
        Variant("interpreter-numpy"),
    ),
)

WALKS_FRAMES = Kind(
    "The launcher walks the frames of its callers to the true data.",
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        "failed error crashed not_triton", "contract values kernel-matters containment"
    ),
    variants=(Variant("error", launcher=("walks_to_the_data", "walks_frames_error")),),
)
