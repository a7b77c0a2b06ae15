"""The launcher walks the frames of its callers to the true data."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        "failed error crashed not_triton", "contract values kernel-matters containment"
    ),
    variants=(Variant(name="error", launcher=("walks_to_the_data", "walks_frames_error")),),
)
