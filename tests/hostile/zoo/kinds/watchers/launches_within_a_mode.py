"""The launcher launches within a dispatch mode of its own, which computes."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed not_triton", "values kernel-matters containment"),
    variants=(Variant(name="dispatch", launcher=("launches_within_a_mode_dispatch",)),),
)
