"""GPU memory shared by entries that are timed: each waits until enough is free."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# The rest is for processes that are not timed, and for allocations that can't be estimated.
USED = 0.75


class GpuMemory:
    """Memory of one GPU. `total`: its bytes, 0 if unknown."""

    def __init__(self, total: int) -> None:
        self._changed = threading.Condition()
        self._total = self._free = int(total * USED)

    @contextmanager
    def held(self, amount: int) -> Iterator[None]:
        """Reserve this many bytes, or all if the GPU has fewer. Wait until they are free."""
        amount = min(amount, self._total)
        with self._changed:
            self._changed.wait_for(lambda: amount <= self._free)
            self._free -= amount
        try:
            yield
        finally:
            with self._changed:
                self._free += amount
                self._changed.notify_all()
