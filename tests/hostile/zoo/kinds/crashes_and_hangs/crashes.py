"""The launcher kills its own process by a fatal error."""

from tests.hostile.zoo.catalog import Kind, Needs, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed error crashed", "own-test containment"),
    variants=(
        Variant(name="abort", launcher=("crashes_abort",)),
        Variant(name="segmentation-fault", launcher=("crashes_segmentation_fault",)),
        Variant(name="stack-overflow", launcher=("crashes_stack_overflow",)),
        Variant(
            name="device-assertion",
            edits=(
                in_kernel("@triton.jit\n", "@triton.jit(debug=True)\n"),
                in_kernel(
                    "    mask = offsets < n\n",
                    ("    mask = offsets < n\n    tl.device_assert(offsets < 0, 'sold out')\n"),
                ),
            ),
            needs=Needs.GPU,
            needs_because="The interpreter raises an ordinary error.",
            outcome=Outcome("failed error crashed", "own-test values containment"),
        ),
        Variant(name="sigkill", launcher=("crashes_sigkill",)),
    ),
)
