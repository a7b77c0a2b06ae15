"""A lock that many threads hold at once, or one alone."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from validation.harness.pool.shared_lock import SharedLock


def test_the_shared_lock_allows_one_exclusive_or_many_shared_holders() -> None:
    shared, lock = SharedLock(), threading.Lock()
    inside: list[bool] = []
    seen: list[tuple[bool, int]] = []

    def visit(alone: bool) -> None:
        with shared.held(exclusive=alone):
            with lock:
                inside.append(alone)
            time.sleep(0.01)
            with lock:
                seen.append((alone, len(inside)))
                inside.remove(alone)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(visit, [False, False, True, False, True, False, False, False] * 4))

    assert len(seen) == 32
    assert {count for alone, count in seen if alone} == {1}
    assert max(count for alone, count in seen if not alone) > 1


def test_requests_wait_until_their_parts_are_free() -> None:
    memory, lock = SharedLock(100), threading.Lock()
    held: list[int] = []
    most: list[int] = []

    def use(amount: int) -> None:
        with memory.parts_held(amount):
            with lock:
                held.append(amount)
                most.append(sum(held))
            time.sleep(0.005)
            with lock:
                held.remove(amount)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, [30, 50, 40, 60, 100, 10, 30, 90] * 4))

    assert len(most) == 32
    assert 60 < max(most) <= 100


@pytest.mark.parametrize("total", [0, 10], ids=["unknown", "smaller than one entry"])
def test_a_request_for_more_parts_than_there_are_gets_all(total: int) -> None:
    memory = SharedLock(total)
    with memory.parts_held(1000):
        pass
    with memory.parts_held(1000):
        pass
