"""The launcher returns memory as allocated, where the reference's answer may still lie."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test

KIND = Kind(
    outcome=Outcome("failed not_triton", "values memory kernel-matters"),
    variants=(
        Variant(
            name="empty",
            edits=(
                in_test(
                    "reference(*inputs), candidate(*inputs)",
                    "reference(*inputs).clone(), candidate(*inputs)",
                ),
            ),
            launcher=("returns_unwritten_memory_empty",),
        ),
        Variant(
            name="without-fill",
            how="It switches off torch's filling of fresh memory first.",
            edits=(
                in_test(
                    "reference(*inputs), candidate(*inputs)",
                    "reference(*inputs).clone(), candidate(*inputs)",
                ),
            ),
            launcher=("returns_unwritten_memory_without_fill",),
        ),
        Variant(
            name="atomics-into-empty",
            how="Its kernel counts in memory that is zero only by luck.",
            base="histogram",
            edits=(in_kernel("torch.zeros(", "torch.empty("),),
        ),
    ),
)
