"""The launcher returns at once and the answer is written later, while the test waits."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Needs, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.MEMORY, Check.REPEATABILITY},
    ),
    variants=(
        Variant(
            name="thread",
            edits=(
                Edit(
                    "test_code",
                    "    rtol, atol =",
                    ("    __import__('time').sleep(0.3)\n    rtol, atol ="),
                ),
            ),
            launcher=("answers_before_it_is_done_thread",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.CRASHED, Verdict.NOT_TRITON},
                caught_by={Check.VALUES, Check.CONTAINMENT},
            ),
        ),
        Variant(
            name="stream",
            edits=(
                Edit(
                    "test_code",
                    "    rtol, atol =",
                    ("    torch.cuda.synchronize()\n    rtol, atol ="),
                ),
            ),
            launcher=("answers_before_it_is_done_stream",),
            needs=Needs.GPU,
            needs_because="Streams are CUDA's.",
        ),
        Variant(
            name="stream-and-patched-synchronize",
            edits=(
                Edit(
                    "test_code",
                    "    rtol, atol =",
                    ("    __import__('time').sleep(0.5)\n    rtol, atol ="),
                ),
            ),
            launcher=("answers_before_it_is_done_stream_and_patched_synchronize",),
            needs=Needs.GPU,
            needs_because="Streams are CUDA's.",
        ),
    ),
)
