"""The launcher keeps what the reference returned and passes it through the kernel."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant(name="profiler", launcher=("listens_to_the_reference_profiler",)),
        Variant(name="patched-add", launcher=("listens_to_the_reference_patched_add",)),
    ),
)
