"""A text that takes too long ends its own reading only."""

import signal
import time
from collections.abc import Iterator

import pytest

from ingest.confined import time_limits
from ingest.confined.time_limits import TimeLimits
from ingest.extract import Extraction, MemoryTree, Problem, TookTooLong, extract, extraction
from ingest.extract.isolate import isolate
from tests.conftest import KERNEL


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "KERNEL_SECONDS", 0.2)
    monkeypatch.setattr(time_limits, "FILE_SECONDS", 0.5)
    monkeypatch.setattr(time_limits, "AGAIN_SECONDS", 0.02)


def work(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_work_over_the_bound_is_interrupted() -> None:
    limits = TimeLimits(lambda: False)

    bound = r"One part of this file took longer than 0\.2 seconds"
    with pytest.raises(TookTooLong, match=bound), limits.around("a.py"):
        work(5)


def test_a_file_of_many_slow_parts_has_a_bound_of_its_own() -> None:
    limits = TimeLimits(lambda: False)
    for _ in range(3):
        with limits.around("a.py"):
            work(0.15)

    with pytest.raises(TookTooLong, match="This file took longer than"), limits.around("a.py"):
        work(5)
    with pytest.raises(TookTooLong, match="This file took longer than"), limits.around("a.py"):
        pass
    with limits.around("another.py"):
        work(0.1)


def test_a_file_with_almost_no_time_left_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "AGAIN_SECONDS", 0.25)
    limits = TimeLimits(lambda: False)
    for _ in range(3):
        with limits.around("a.py"):
            work(0.1)

    with pytest.raises(TookTooLong, match="This file took longer than"), limits.around("a.py"):
        pass


def test_an_exchange_of_messages_is_never_interrupted() -> None:
    steps: list[str] = []
    talking = [True]
    limits = TimeLimits(lambda: talking[0])

    with pytest.raises(TookTooLong), limits.around("a.py"):
        work(0.4)
        steps.append("answered")
        talking[0] = False
        work(5)

    assert steps == ["answered"]


def test_a_kernel_that_takes_too_long_is_named_and_the_others_are_extracted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:

    def slow(kernel: object, *rest: object) -> object:
        if getattr(kernel, "name", "") == "slow_kernel":
            work(5)
        return isolate(kernel, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(extraction, "isolate", slow)
    slow_kernel = KERNEL[KERNEL.index("@triton.jit") :].replace("add_kernel", "slow_kernel")
    tree = MemoryTree({"a.py": (KERNEL + "\n\n" + slow_kernel).encode()})

    found = list(extract(tree, at=TimeLimits(lambda: False).around))

    assert [item.kernel.name for item in found if isinstance(item, Extraction)] == ["add_kernel"]
    [problem] = [item for item in found if isinstance(item, Problem)]
    assert (problem.path, problem.code) == ("a.py", "too-slow")
    assert problem.line == 1 + (KERNEL + "\n\n").count("\n")


@pytest.fixture(autouse=True)
def timer_off() -> Iterator[None]:
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
