"""A kernel copies the inputs into memory that was allocated out of sight, where torch or NumPy
adds.
"""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    harmless_because="The recorder's inputs are decoys, so the copies hold no true data.",
    outcome=Outcome("failed not_triton", "values kernel-matters containment"),
    variants=(
        Variant(name="torch", launcher=("kernel_copies_to_hidden_memory_torch",)),
        Variant(name="numpy", launcher=("kernel_copies_to_hidden_memory_numpy",)),
    ),
)
