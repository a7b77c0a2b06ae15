"""Pool of idle children with a CUDA context: new ones, and used ones that may serve again.

The driver creates contexts one at a time, for all processes and all GPUs of a machine. If many
processes ask at once, all wait until the last is served. So a few threads create them ahead.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor

from validation.harness.pool.children import Child, Closed

# With one maker thread, the driver idles between two contexts. More than two gain nothing.
MAKERS = 2
AHEAD = 2


class IdlePool:
    """Pool of idle children. `make` creates a child. `ahead` children are created in advance."""

    def __init__(self, make: Callable[[], Child], *, ahead: int = AHEAD) -> None:
        self._make, self._ahead = make, ahead
        self._makers = ThreadPoolExecutor(MAKERS, thread_name_prefix="idle")
        self._lock = threading.Lock()
        self._new: deque[Future[Child]] = deque()
        self._used: list[Child] = []
        self._given_up = 0

    def take(self, *, used: bool) -> Child:
        """Return a child, or raise the reason why none can be made.

        used: accept a child that has served before.
        """
        while True:
            with self._lock:
                living = [child for child in self._used if not child.gone] if used else []
                if living:
                    self._used.remove(living[-1])
                    return living[-1]
                given_up, is_ahead = self._given_up, bool(self._new)
                future = self._new.popleft() if is_ahead else self._begin()
                while len(self._new) < self._ahead:
                    self._new.append(self._begin())
            try:
                child = future.result()
            except CancelledError:
                raise Closed from None
            except BaseException:
                # A child that was made ahead may have failed long ago: try to make another one.
                if not is_ahead:
                    raise
                continue
            if not child.gone and given_up == self._given_up:
                return child
            child.release()

    def put(self, child: Child) -> None:
        """Take back a child that may serve again."""
        with self._lock:
            self._used.append(child)

    def give_up(self) -> None:
        """Release all idle children. Later requests get children that are created from now on."""
        with self._lock:
            new, self._new = self._new, deque()
            used, self._used = self._used, []
            self._given_up += 1
        for child in used:
            child.release()
        for future in new:
            future.cancel()
            future.add_done_callback(_release)

    def close(self) -> None:
        self._makers.shutdown(wait=False, cancel_futures=True)

    def _begin(self) -> Future[Child]:
        try:
            return self._makers.submit(self._make)
        except RuntimeError:
            raise Closed from None


def _release(future: Future[Child]) -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().release()
