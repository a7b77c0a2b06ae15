"""What is known of a parameter from its uses, and what an expression may be made of."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import NamedTuple


class Use(StrEnum):
    POINTER = auto()
    ADDRESS = auto()  # loaded, and then itself loaded through: a table of pointers
    INTEGER = auto()
    FLOATING = auto()
    DTYPE = auto()
    SIZE = auto()  # of a block: a power of two
    COUNT = auto()  # of unrolled turns: small
    AXIS = auto()
    FLAG = auto()
    NONE = auto()  # compared with None
    DESCRIPTOR = auto()
    TUPLE = auto()
    FUNCTION = auto()
    MATRIX = auto()  # loaded for a dot


LOADED = "*"
# A parameter's name, then steps into it: LOADED, or the index of a tuple's item.
Path = tuple[str | int, ...]


@dataclass
class Uses:
    """What was seen of one parameter, or of what is reached through it."""

    kinds: set[Use] = field(default_factory=set)
    equals: list[object] = field(default_factory=list)
    # What it is chosen against: both must be of one type.
    same: set[Path] = field(default_factory=set)
    items: int = 0
    rank: int = 0


class Value(NamedTuple):
    """What an expression may be made of. `base` is what it would point with as an address."""

    base: Path | None = None
    parts: frozenset[Path] = frozenset()
    items: tuple["Value", ...] | None = None
    # Made in the kernel by make_tensor_descriptor, not handed in.
    made: bool = False
    # No longer of the type that it was loaded with.
    cast: bool = False


NOTHING = Value()

# Where an expression stands: function, first line from its `def` on, column, last line, column.
Place = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """The uses of each path, and which paths each expression is made of, the base first."""

    uses: Mapping[Path, Uses]
    places: Mapping[Place, Sequence[Path]]

    def of(self, path: Path) -> Uses:
        return self.uses.get(path) or Uses()

    def alike(self, path: Path) -> set[Path]:
        """It and all that it is chosen against, directly or through others."""
        found, new = {path}, {path}
        while new:
            new = {other for one in new for other in self.of(one).same} - found
            found |= new
        return found


def place(function: str, node: ast.expr, before: int = 0) -> Place:
    """`before` is how many lines of the text stand before the function's `def`."""
    return (
        function,
        node.lineno - before,
        node.col_offset,
        (node.end_lineno or node.lineno) - before,
        node.end_col_offset or 0,
    )


def handed_in(value: Value) -> bool:
    """The parameter itself or an item of it, not something computed from it or through it."""
    return value.base is not None and LOADED not in value.base and value.parts <= {value.base}


def item_of(base: Path, index: int) -> Value:
    path = (*base, index)
    return Value(path, frozenset([path]))


def loaded(value: Value) -> Value:
    if value.base is None or value.base.count(LOADED) > 1:
        return NOTHING
    path = (*value.base, LOADED)
    return Value(path, frozenset([path]))


def join(one: Value, other: Value) -> Value:
    items = one.items or other.items
    if one.items and other.items and len(one.items) == len(other.items):
        items = tuple(map(join, one.items, other.items))
    return Value(
        one.base or other.base,
        one.parts | other.parts,
        items,
        one.made or other.made,
        one.cast and other.cast,
    )


def union(values: Iterable[Value]) -> Value:
    return Value(None, frozenset().union(*(value.parts for value in values)))
