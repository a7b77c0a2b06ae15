"""The launcher patches Triton so that torch computes during the launch."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed error not_triton", "contract values kernel-matters containment"),
    variants=(
        Variant(name="kernel-methods", launcher=("patches_triton_kernel_methods",)),
        Variant(
            name="interpreter-class",
            launcher=("adds_when_called", "patches_triton_interpreter_class"),
        ),
        Variant(name="interpreter-numpy", launcher=("patches_triton_interpreter_numpy",)),
    ),
)
