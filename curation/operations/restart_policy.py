"""Restart policy: delays between restarts, and when to give up."""

from collections import deque


class RestartPolicy:
    """Delays double with every end, and are reset after a `window` without one."""

    def __init__(
        self, *, most: int = 5, window: float = 60, first: float = 0.5, longest: float = 10
    ) -> None:
        self.most = most
        self.window = window
        self._first = first
        self._longest = longest
        self._ends: deque[float] = deque()
        self._delay = first

    def delay(self, started: float, ended: float) -> float | None:
        """Return the seconds to wait before the next start, or None after too many ends."""
        if ended - started >= self.window:
            self._delay = self._first
        self._ends.append(ended)
        while self._ends[0] <= ended - self.window:
            self._ends.popleft()
        if len(self._ends) > self.most:
            return None
        delay, self._delay = self._delay, min(2 * self._delay, self._longest)
        return delay
