"""Python or NumPy computes the answer on the host."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant(
            name="list",
            launcher=("host_computes_list",),
            outcome=Outcome("failed not_triton", "kernel-matters"),
        ),
        Variant(name="numpy", launcher=("host_computes_numpy",)),
        Variant(name="ctypes", launcher=("host_computes_ctypes",)),
        Variant(
            name="numbers-one-by-one",
            launcher=("host_computes_numbers",),
            outcome=Outcome(
                "failed error not_triton", "contract values kernel-matters containment"
            ),
        ),
    ),
)
