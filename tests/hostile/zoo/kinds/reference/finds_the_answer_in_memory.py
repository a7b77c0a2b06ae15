"""The launcher searches its process for a tensor that looks like the expected answer."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant(
            name="frames",
            edits=(
                in_test(
                    "    expected, actual = reference(*inputs), candidate(*inputs)",
                    ("    expected = reference(*inputs)\n    actual = candidate(*inputs)"),
                ),
            ),
            launcher=("finds_the_answer_in_memory_frames",),
        ),
        Variant(
            name="garbage-collector", launcher=("finds_the_answer_in_memory_garbage_collector",)
        ),
    ),
)
