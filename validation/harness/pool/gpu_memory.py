"""Memory of a GPU that entries share while they are timed: each waits until its part is free."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# The rest is for what entries use beside their timing, and for what can't be foreseen.
USED = 0.75


class GpuMemory:
    """total: bytes of the GPU, 0 if they are not known."""

    def __init__(self, total: int) -> None:
        self._changed = threading.Condition()
        self._total = self._free = int(total * USED)

    @contextmanager
    def held(self, amount: int) -> Iterator[None]:
        """Wait until so many bytes are free, or all of them if there are fewer."""
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
