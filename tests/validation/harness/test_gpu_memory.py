"""Entries that wait for memory of the GPU."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from validation.harness.pool.worker_pool import USED, GpuMemory


def test_entries_wait_until_their_part_is_free() -> None:
    memory, lock = GpuMemory(int(100 / USED)), threading.Lock()
    held: list[int] = []
    most: list[int] = []

    def use(amount: int) -> None:
        with memory.held(amount):
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
def test_an_entry_that_needs_more_than_there_is_uses_it_alone(total: int) -> None:
    memory = GpuMemory(total)
    with memory.held(1000):
        pass
    with memory.held(1000):
        pass
