"""A function that torch compiled computes the answer."""

from tests.hostile.zoo.catalog import Kind, Needs, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton mixed", "kernel-matters"),
    variants=(
        Variant(name="torchscript", launcher=("compiled_by_torch_torchscript",)),
        Variant(
            name="inductor",
            launcher=("compiled_by_torch_inductor",),
            outcome=Outcome("failed error not_triton", "kernel-matters"),
            needs=Needs.GPU,
            needs_because="Without a GPU torch.compile writes C++.",
        ),
    ),
)
