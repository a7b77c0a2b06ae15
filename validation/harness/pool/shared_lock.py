"""Lock for shared or exclusive use by threads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class SharedLock:
    """Lock that many threads can share, or one thread can hold exclusively."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._holders = 0
        self._exclusive = 0

    @contextmanager
    def held(self, *, exclusive: bool) -> Iterator[None]:
        """Hold the lock. If exclusive, wait for all holders and block new ones."""
        with self._changed:
            self._exclusive += exclusive
            if exclusive:
                self._changed.wait_for(lambda: not self._holders)
            else:
                self._changed.wait_for(lambda: not self._exclusive)
            self._holders += 1
        try:
            yield
        finally:
            with self._changed:
                self._holders -= 1
                self._exclusive -= exclusive
                self._changed.notify_all()
