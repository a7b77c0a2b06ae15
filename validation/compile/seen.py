"""Recorded uses of parameters and of values loaded through them."""

from collections import defaultdict
from collections.abc import Iterable

from validation.compile.value_sources import (
    LOADED,
    Path,
    UseKind,
    Uses,
    ValueSource,
    handed_in,
    join,
)


class UsesByPath:
    def __init__(self) -> None:
        self.uses: dict[Path, Uses] = defaultdict(Uses)

    def sizes(self, values: Iterable[ValueSource]) -> None:
        for value in values:
            for item in value.items or (value,):
                for part in item.parts:
                    if LOADED not in part:
                        self.saw(part, UseKind.SIZE)

    def integers(self, values: Iterable[ValueSource]) -> None:
        """Record that loaded values in an index are integers. Others are by default."""
        for value in values:
            for part in value.parts:
                if LOADED in part:
                    self.saw(part, UseKind.INTEGER)

    def types(self, values: Iterable[ValueSource]) -> None:
        for value in values:
            if value.base and handed_in(value):
                self.saw(value.base, UseKind.DTYPE)

    def address(self, value: ValueSource) -> None:
        if value.items is not None:
            return
        base = value.base
        if base is not None:
            self.saw(base, UseKind.ADDRESS if base[-1] == LOADED else UseKind.POINTER)
        for part in value.parts:
            if part != base:
                self.saw(part, UseKind.INTEGER)

    def either(self, left: ValueSource, right: ValueSource) -> ValueSource:
        if left.base and right.base and left.base != right.base:
            self.uses[left.base].same.add(right.base)
            self.uses[right.base].same.add(left.base)
        return join(left, right)

    def saw_all(self, value: ValueSource, use: UseKind) -> None:
        for part in value.parts:
            self.saw(part, use)

    def saw(self, path: Path, use: UseKind, *, items: int = 0, rank: int = 0) -> None:
        uses = self.uses[path]
        uses.kinds.add(use)
        uses.items = max(uses.items, items)
        uses.rank = max(uses.rank, rank)
