"""Pool of idle children: a request gets the first that is free, new or handed back."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pytest

from validation.harness.options import Options
from validation.harness.pool.children import (
    Broken,
    Child,
    ChildEnded,
    Closed,
    DeadlinePassed,
    Forged,
    ServerEnded,
)
from validation.harness.pool.idle_pool import MAKERS, IdlePool
from validation.harness.pool.worker_pool import WorkerPool


class Process:
    def __init__(self, number: int) -> None:
        self.number, self.gone, self.released = number, False, False

    def release(self) -> None:
        self.released = True


class Workshop:
    """Makes a process when the test allows it, and counts how many are made at once."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.begun = self.at_once = self.most = self.free = 0
        self.let_go: set[int] = set()
        self.next: list[BaseException] = []

    def make(self) -> Process:
        with self.changed:
            self.begun += 1
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            number = self.begun
            self.changed.wait_for(lambda: number in self.let_go or self.free)
            self.free -= number not in self.let_go
            self.at_once -= 1
            if self.next:
                raise self.next.pop()
        return Process(number)

    def let(self, count: int = 0, *numbers: int) -> None:
        """Allow any `count` processes, and those of these numbers."""
        with self.changed:
            self.free += count
            self.let_go.update(numbers)
            self.changed.notify_all()


Taking = Callable[[], Future[Any]]


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
def idle(workshop: Workshop) -> Iterator[Any]:
    made = IdlePool(cast("Any", workshop.make), ahead=1)
    yield made
    made.close()
    workshop.let(100)


@pytest.fixture
def taking(idle: Any) -> Iterator[Taking]:
    with ThreadPoolExecutor(8) as pool:
        yield lambda: pool.submit(idle.take, used=True)
        idle.close()


def until(true: Callable[[], bool]) -> None:
    limit = time.monotonic() + 10
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.001)


def test_each_request_is_served_and_few_children_are_made_at_once(
    workshop: Workshop, taking: Taking
) -> None:
    asked = [taking() for _ in range(6)]
    # Before the first is done, both makers have begun.
    until(lambda: workshop.at_once == MAKERS)
    for served in range(1, 7):
        workshop.let(1)
        until(lambda served=served: sum(one.done() for one in asked) >= served)  # type: ignore[misc]
        workshop.let(1)
    assert len({one.result().number for one in asked}) == 6
    assert workshop.most == MAKERS


def test_a_used_child_serves_only_a_request_that_accepts_one(workshop: Workshop, idle: Any) -> None:
    idle.put(used := Process(0))
    workshop.let(100)
    assert idle.take(used=False) is not used
    assert idle.take(used=True) is used


def test_the_next_child_is_created_before_its_request(workshop: Workshop, taking: Taking) -> None:
    asked = taking()
    workshop.let(2)
    asked.result(10)
    until(lambda: workshop.begun == 2 and not workshop.at_once)
    taking().result(10)


def test_no_child_is_made_before_the_first_request(workshop: Workshop, idle: Any) -> None:
    idle.put(Process(0))
    assert not workshop.begun


def test_without_children_ahead_each_request_creates_one(workshop: Workshop) -> None:
    idle = IdlePool(cast("Any", workshop.make), ahead=0)
    workshop.let(100)
    for count in range(1, 4):
        idle.take(used=True)
        assert workshop.begun == count
    idle.close()


def test_a_request_raises_the_creation_error_and_the_next_gets_a_child(
    workshop: Workshop,
) -> None:
    idle = IdlePool(cast("Any", workshop.make), ahead=0)
    workshop.let(100)
    workshop.next = [ServerEnded()]
    with pytest.raises(ServerEnded):
        idle.take(used=True)
    idle.take(used=True)
    idle.close()


def test_a_creation_error_of_a_prepared_child_is_not_raised(
    workshop: Workshop, taking: Taking
) -> None:
    asked = taking()
    workshop.let(1)
    asked.result(10)
    until(lambda: workshop.at_once == 1)
    workshop.next = [ServerEnded()]
    workshop.let(100)
    until(lambda: not workshop.at_once)
    taking().result(10)


def test_a_child_that_died_while_idle_is_not_used(
    workshop: Workshop, idle: Any, taking: Taking
) -> None:
    workshop.let(100)
    dead = taking().result(10)
    dead.gone = True
    idle.put(dead)
    assert taking().result(10) is not dead


def test_after_discarding_children_only_later_ones_are_used(
    workshop: Workshop, idle: Any, taking: Taking
) -> None:
    waiting = taking()
    until(lambda: workshop.at_once == MAKERS)
    idle.give_up()
    workshop.let(100)
    assert waiting.result(10).number > MAKERS


def test_discarded_children_are_released(workshop: Workshop, idle: Any, taking: Taking) -> None:
    workshop.let(100)
    used = idle.take(used=True)
    idle.put(used)
    idle.give_up()
    assert used.released
    assert taking().result(10) is not used


def test_a_waiting_request_raises_closed_when_the_run_is_closed(
    workshop: Workshop, idle: Any, taking: Taking
) -> None:
    asked = [taking() for _ in range(MAKERS + 1)]
    until(lambda: workshop.at_once == MAKERS)
    idle.close()
    workshop.let(100)
    errors = [each.exception(10) for each in asked]
    assert any(isinstance(error, Closed) for error in errors)
    with pytest.raises(Closed):
        idle.take(used=False)


# --- Children of a worker pool ------------------------------------------------------------------
def crew_whose_children_answer(*answers: Any) -> tuple[WorkerPool, list[Any]]:
    made, left, pool = list[Any](), list(answers), WorkerPool(Options(device="cuda"))

    def ask(*_: Any) -> Any:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(header=answer)

    def child() -> Any:
        made.append(SimpleNamespace(ask=ask, gone=False, released=False))
        made[-1].release = lambda one=made[-1]: setattr(one, "released", True)
        return made[-1]

    pool.candidates.child = child  # type: ignore[method-assign]
    return pool, made


def test_a_child_with_a_cuda_context_is_used() -> None:
    pool, made = crew_whose_children_answer({})
    assert cast("Any", pool._with_context()) is made[0]
    assert not made[0].released


@pytest.mark.parametrize(
    "answer",
    [
        Broken("OutOfMemoryError: CUDA out of memory"),
        ChildEnded(None, "[Errno 11] Resource temporarily unavailable"),
        ChildEnded(-9, ""),
        DeadlinePassed(),
        Forged("noise"),
    ],
)
def test_a_child_without_a_cuda_context_is_replaced_with_a_reason(answer: Any) -> None:
    pool, made = crew_whose_children_answer(answer)
    assert cast("Any", pool._with_context()) is made[1]
    assert made[0].released
    assert not made[1].released


def test_the_end_of_the_fork_server_is_raised_as_such() -> None:
    pool, _ = crew_whose_children_answer(ServerEnded())
    with pytest.raises(ServerEnded):
        pool._with_context()


@pytest.mark.slow
def test_without_a_gpu_a_child_without_a_cuda_context_is_used(pool: WorkerPool) -> None:
    child: Child = pool._with_context()
    order = {"python_code": "def one(x):\n    return x\n", "entry_point": "one"}
    test = "CASES = [{}]\ndef make_inputs(case, seed, device):\n    return ()\n"
    said = child.ask("author", "cases", order | {"test_code": test}, 50.0).header
    assert said["cases"] == [{}]
    child.release()
