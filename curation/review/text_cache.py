"""Cache of values computed from texts, bounded by bytes.

`functools.lru_cache` counts entries, and one entry may have megabytes: 1,024 highlighted sources
took up to 2.4 GB in each process.
"""

from collections import OrderedDict
from collections.abc import Callable
from sys import getsizeof
from threading import Lock
from typing import Generic, TypeVar

Result = TypeVar("Result")


class TextCache(Generic[Result]):
    """A pure function of texts with an LRU cache of up to `most` bytes. Thread-safe.

    size: the bytes of a result.
    """

    def __init__(
        self, function: Callable[..., Result], size: Callable[[Result], int], most: int
    ) -> None:
        self._function, self._size, self._most = function, size, most
        self._kept: OrderedDict[tuple[str, ...], tuple[Result, int]] = OrderedDict()
        self._lock = Lock()
        self.bytes = 0

    def __call__(self, *texts: str) -> Result:
        with self._lock:
            if texts in self._kept:
                self._kept.move_to_end(texts)
                return self._kept[texts][0]
        # Not under the lock: two threads may compute the same, but none waits for another.
        result = self._function(*texts)
        size = self._size(result) + sum(map(getsizeof, texts))
        with self._lock:
            if texts not in self._kept:
                self._kept[texts] = result, size
                self.bytes += size
            while self.bytes > self._most:
                self.bytes -= self._kept.popitem(last=False)[1][1]
        return result

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.bytes = 0
