"""An entry without resources runs again alone; an entry with a wrong answer does not."""

import pytest

from validation.harness.report import Check, Report, Verdict
from validation.harness.schedule import is_starved


def a_report(words: str) -> Report:
    made = (Check("test", Verdict.FAILED, words),)
    return Report("some-entry", Verdict.FAILED, words, made, {}, {})


@pytest.mark.parametrize(
    "words",
    [
        "6 tests fail: BlockingIOError: [Errno 11] Resource temporarily unavailable",
        "OSError: [Errno 28] No space left on device",
        "AcceleratorError: CUDA error: CUDA-capable device(s) is/are busy or unavailable",
        "OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    ],
)
def test_a_resource_error_marks_the_entry_for_another_run(words: str) -> None:
    assert is_starved(a_report(words))


def test_a_wrong_answer_does_not_mark_the_entry_for_another_run() -> None:
    assert not is_starved(a_report("case 0: output: 1 of 1 elements are wrong"))
