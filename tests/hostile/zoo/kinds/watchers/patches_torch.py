"""The launcher replaces an operation of torch that is called during the launch."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome("failed error not_triton", "contract values kernel-matters containment"),
    variants=(Variant(name="operator", launcher=("patches_torch_operator",)),),
)
