"""Lock for shared or exclusive use by threads."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


class SharedLock:
    """Lock of many parts, granted in the order of requests. A thread holds some parts or all.

    total: number of parts, such as bytes of memory.
    """

    def __init__(self, total: int = 1 << 20) -> None:
        self._changed = threading.Condition()
        self._total = self._free = total
        self._waiting: deque[object] = deque()

    def held(self, *, exclusive: bool) -> AbstractContextManager[None]:
        return self.parts_held(self._total if exclusive else 1)

    @contextmanager
    def parts_held(self, amount: int) -> Iterator[None]:
        """Wait until this many parts are free (all, if there are fewer), and hold them."""
        amount, request = min(amount, self._total), object()
        with self._changed:
            self._waiting.append(request)
            try:
                self._changed.wait_for(lambda: self._waiting[0] is request and amount <= self._free)
            finally:
                self._waiting.remove(request)
                self._changed.notify_all()
            self._free -= amount
        try:
            yield
        finally:
            with self._changed:
                self._free += amount
                self._changed.notify_all()
