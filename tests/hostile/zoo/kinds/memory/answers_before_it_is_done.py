"""The launcher returns at once and the answer is written later, while the test waits."""

from tests.hostile.zoo.catalog import Kind, Needs, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("failed not_triton", "values memory repeatability"),
    variants=(
        Variant(
            name="thread",
            edits=(
                in_test(
                    "    rtol, atol =", ("    __import__('time').sleep(0.3)\n    rtol, atol =")
                ),
            ),
            launcher=("answers_before_it_is_done_thread",),
            outcome=Outcome("failed crashed not_triton", "values containment"),
        ),
        Variant(
            name="stream",
            edits=(
                in_test("    rtol, atol =", ("    torch.cuda.synchronize()\n    rtol, atol =")),
            ),
            launcher=("answers_before_it_is_done_stream",),
            needs=Needs.GPU,
            needs_because="Streams are CUDA's.",
        ),
        Variant(
            name="stream-and-patched-synchronize",
            edits=(
                in_test(
                    "    rtol, atol =", ("    __import__('time').sleep(0.5)\n    rtol, atol =")
                ),
            ),
            launcher=("answers_before_it_is_done_stream_and_patched_synchronize",),
            needs=Needs.GPU,
            needs_because="Streams are CUDA's.",
        ),
    ),
)
