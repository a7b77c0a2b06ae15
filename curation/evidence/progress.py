"""Progress and lease of a long task. Each write reports the progress and renews the lease."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Anything = TypeVar("Anything")


@dataclass(frozen=True, slots=True)
class JobProgress:
    renew: Callable[[], None] = lambda: None
    """Called in each transaction that writes. It raises an exception if the lease is lost."""
    report: Callable[[str, int, int], None] = lambda stage, done, total: None
    """Called with the stage, the number of items done and the total."""

    def batches(
        self, stage: str, items: Sequence[Anything], size: int
    ) -> Iterator[Sequence[Anything]]:
        """Yield `items` in batches, and report the progress of each batch."""
        for start in range(0, len(items), size):
            self.report(stage, start, len(items))
            yield items[start : start + size]


NO_PROGRESS = JobProgress()
