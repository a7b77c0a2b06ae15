"""Torch computes the answer, and the kernel only passes it on."""

from tests.hostile.zoo.catalog import OPERATIONS, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton mixed", "kernel-matters"),
    variants=(
        *(
            Variant(name=base, base=base, launcher=("kernel_copies_what_torch_computed",))
            for base in OPERATIONS
        ),
        Variant(name="transpose", base="transpose", launcher=("torch_transposes",)),
    ),
)
