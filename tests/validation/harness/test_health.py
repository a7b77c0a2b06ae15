"""A GPU that goes on failing is sick, and its operator gets the reason."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from validation.harness.options import Options
from validation.harness.pool import worker_pool
from validation.harness.pool.children import Broken, ChildEnded, DeadlinePassed
from validation.harness.pool.worker_pool import GpuSick, WorkerPool

NONE_LEFT = ChildEnded(None, "[Errno 11] Resource temporarily unavailable")


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[float]]:
    """Check health with children that give these answers, and return the waits."""

    def checked(*answers: Any) -> list[float]:
        left, waited = list(answers), list[float]()

        def ask(*_: Any) -> Any:
            answer = left.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return SimpleNamespace(header=answer)

        monkeypatch.setattr("validation.harness.pool.worker_pool.time.sleep", waited.append)
        asked = WorkerPool(Options(device="cuda"))
        child = SimpleNamespace(ask=ask, release=lambda: None)
        asked.candidates = SimpleNamespace(child=lambda: child)  # type: ignore[assignment]
        asked.check_health()
        return waited

    return checked


def test_a_gpu_that_multiplies_is_healthy(check: Callable[..., list[float]]) -> None:
    assert sum(check({"right": True})) == 0


def test_the_gpu_health_check_waits_for_a_free_process(
    check: Callable[..., list[float]],
) -> None:
    assert sum(check(NONE_LEFT, NONE_LEFT, {"right": True})) >= 10


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (NONE_LEFT, "no process could be made: .*unavailable"),
        (ChildEnded(-6, ""), "its process was killed by SIGABRT"),
        (DeadlinePassed(), "a product .* takes longer than 60 s"),
        ({"right": False}, "a product of two matrices is wrong"),
        (Broken("AcceleratorError: no device"), "AcceleratorError: no dev"),
    ],
)
def test_a_sick_gpu_is_reported_with_the_reason(
    check: Callable[..., list[float]], answer: Any, reason: str
) -> None:
    with pytest.raises(GpuSick, match=rf"no longer computes what it should \({reason}"):
        check(*[answer] * len(worker_pool.PAUSES))
