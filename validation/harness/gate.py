"""Lock that lets in many threads at once, or one alone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._wanting_alone = 0

    @contextmanager
    def entered(self, *, alone: bool) -> Iterator[None]:
        """Enter. `alone`: wait until all are out, and let no other thread in meanwhile."""
        with self._changed:
            self._wanting_alone += alone
            if alone:
                self._changed.wait_for(lambda: not self._inside)
            else:
                self._changed.wait_for(lambda: not self._wanting_alone)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._wanting_alone -= alone
                self._changed.notify_all()
