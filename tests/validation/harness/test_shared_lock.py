"""A lock that many threads hold at once, or one alone."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

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
