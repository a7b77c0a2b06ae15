"""The launcher searches its process for a tensor that looks like the expected answer."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(
        Variant(
            name="frames",
            edits=(
                Edit(
                    "test_code",
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
