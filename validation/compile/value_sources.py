"""Values in the analysis of uses: uses of a parameter, and sources of an expression."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import NamedTuple


class UseKind(StrEnum):
    POINTER = auto()
    ADDRESS = auto()  # a table of pointers: the value that is loaded through it is an address
    INTEGER = auto()
    FLOATING = auto()
    DTYPE = auto()
    SIZE = auto()  # size of a block: a power of two
    COUNT = auto()  # number of unrolled iterations: small
    AXIS = auto()
    FLAG = auto()
    NONE = auto()  # compared with None
    DESCRIPTOR = auto()
    TUPLE = auto()
    FUNCTION = auto()
    MATRIX = auto()  # loaded as an operand of a dot


LOADED = "*"
# Name of a parameter, then steps from it: LOADED, or the index of a tuple's item.
Path = tuple[str | int, ...]


@dataclass
class Uses:
    """Uses of one parameter, or of a value loaded through it or contained in it."""

    kinds: set[UseKind] = field(default_factory=set)
    equals: list[object] = field(default_factory=list)
    # Paths that are alternatives to this path in a selection, so all have the same type.
    same: set[Path] = field(default_factory=set)
    items: int = 0
    rank: int = 0


class ValueSource(NamedTuple):
    """Sources of an expression. `base`: the pointer, if the expression is an address."""

    base: Path | None = None
    parts: frozenset[Path] = frozenset()
    items: tuple["ValueSource", ...] | None = None
    # Created in the kernel by make_tensor_descriptor, not passed as an argument.
    made: bool = False
    # Converted to another type after loading.
    cast: bool = False

    @property
    def parameter(self) -> Path | None:
        """The path if the value is a parameter or an item of a parameter, otherwise None."""
        is_given = self.base is not None and LOADED not in self.base and self.parts <= {self.base}
        return self.base if is_given else None


NOTHING = ValueSource()

# Position of an expression: function, line counted from `def`, column, last line, last column.
Place = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class PathUses:
    """Uses of each path, and the paths in each expression, beginning with the expression's base."""

    uses: Mapping[Path, Uses]
    places: Mapping[Place, Sequence[Path]]

    def of(self, path: Path) -> Uses:
        return self.uses.get(path) or Uses()

    def alike(self, path: Path) -> set[Path]:
        """Return a path with all paths that must have the same type, also through a third path."""
        paths, new = {path}, {path}
        while new:
            new = {other for one in new for other in self.of(one).same} - paths
            paths |= new
        return paths


def place(function: str, node: ast.expr, before: int = 0) -> Place:
    """Return the position of a node. `before`: the number of lines before the function's `def`."""
    return (
        function,
        node.lineno - before,
        node.col_offset,
        (node.end_lineno or node.lineno) - before,
        node.end_col_offset or 0,
    )


def item_of(base: Path, index: int) -> ValueSource:
    path = (*base, index)
    return ValueSource(path, frozenset([path]))


def loaded(value: ValueSource) -> ValueSource:
    if value.base is None or value.base.count(LOADED) > 1:
        return NOTHING
    path = (*value.base, LOADED)
    return ValueSource(path, frozenset([path]))


def join(left: ValueSource, right: ValueSource) -> ValueSource:
    items = left.items or right.items
    if left.items and right.items and len(left.items) == len(right.items):
        items = tuple(map(join, left.items, right.items))
    return ValueSource(
        left.base or right.base,
        left.parts | right.parts,
        items,
        left.made or right.made,
        left.cast and right.cast,
    )


def union(values: Iterable[ValueSource]) -> ValueSource:
    return ValueSource(None, frozenset().union(*(value.parts for value in values)))


class UsesByPath:
    """Recorded uses of parameters and of values loaded through them."""

    def __init__(self) -> None:
        self.uses: dict[Path, Uses] = defaultdict(Uses)

    def sizes(self, values: Iterable[ValueSource]) -> None:
        for value in values:
            for item in value.items or (value,):
                for part in item.parts:
                    if LOADED not in part:
                        self.record(part, UseKind.SIZE)

    def integers(self, values: Iterable[ValueSource]) -> None:
        """Record that loaded values in an index are integers, as other values are by default."""
        for value in values:
            for part in value.parts:
                if LOADED in part:
                    self.record(part, UseKind.INTEGER)

    def types(self, values: Iterable[ValueSource]) -> None:
        for value in values:
            self.record(value.parameter, UseKind.DTYPE)

    def address(self, value: ValueSource) -> None:
        if value.items is not None:
            return
        base = value.base
        is_loaded = base is not None and base[-1] == LOADED
        self.record(base, UseKind.ADDRESS if is_loaded else UseKind.POINTER)
        for part in value.parts:
            if part != base:
                self.record(part, UseKind.INTEGER)

    def either(self, left: ValueSource, right: ValueSource) -> ValueSource:
        if left.base and right.base and left.base != right.base:
            self.uses[left.base].same.add(right.base)
            self.uses[right.base].same.add(left.base)
        return join(left, right)

    def record_all(self, value: ValueSource, use: UseKind) -> None:
        for part in value.parts:
            self.record(part, use)

    def record(self, path: Path | None, use: UseKind, *, items: int = 0, rank: int = 0) -> None:
        """Record a use of a path. None stands for a value that does not come from a parameter."""
        if path is None:
            return
        uses = self.uses[path]
        uses.kinds.add(use)
        uses.items = max(uses.items, items)
        uses.rank = max(uses.rank, rank)
