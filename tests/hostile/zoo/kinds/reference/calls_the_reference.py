"""The launcher finds the reference, calls it and passes its answer through the kernel."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton", "kernel-matters containment"),
    variants=(
        Variant(name="import", launcher=("calls_the_reference_import",)),
        Variant(name="loaded-modules", launcher=("calls_the_reference_loaded_modules",)),
        Variant(
            name="disk",
            launcher=("calls_the_reference_disk",),
            outcome=Outcome("failed error not_triton", "kernel-matters"),
        ),
    ),
)
