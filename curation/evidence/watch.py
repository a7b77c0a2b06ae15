"""Who waits for a long piece of work: told how far it is, asked before each write."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Anything = TypeVar("Anything")


@dataclass(frozen=True, slots=True)
class Watch:
    renew: Callable[[], None] = lambda: None
    """Called in each transaction that writes; it raises where the right to write is lost."""
    tell: Callable[[str, int, int], None] = lambda stage, done, total: None
    """Called with the stage, how many items are done and how many there are."""

    def batches(
        self, stage: str, items: Sequence[Anything], size: int
    ) -> Iterator[Sequence[Anything]]:
        """`items` in pieces, each announced."""
        for start in range(0, len(items), size):
            self.tell(stage, start, len(items))
            yield items[start : start + size]


NOBODY = Watch()
