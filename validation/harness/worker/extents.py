"""Bounds check of memory accesses in Triton's interpreter, which has none itself.

On a GPU, only compute-sanitizer can check every access.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from triton.runtime import interpreter

Original = Callable[..., Any]
STRAYS_MOST = 5


class OutOfBounds(Exception):
    """A kernel accesses memory outside of all tensors."""


@dataclass(frozen=True, slots=True)
class Access:
    """A function of the interpreter that accesses memory.

    addresses, values, mask: the positions of these arguments.
    """

    name: str
    does: str
    addresses: int
    values: int
    mask: int | None


ACCESSES = (
    Access("load", "reads", addresses=0, values=2, mask=1),
    Access("store", "writes to", addresses=0, values=1, mask=2),
    Access("atomic_cas", "writes to", addresses=0, values=1, mask=None),
    Access("atomic_rmw", "writes to", addresses=1, values=2, mask=3),
)


def patch_accesses(wrapped: Callable[[Access, Original], Original]) -> None:
    """Replace each function of the interpreter that accesses memory by a wrapped one."""
    memory: Any = interpreter._interpreter
    for access in ACCESSES:
        setattr(memory, access.name, wrapped(access, getattr(memory, access.name)))


class Extents:
    """The memory that a kernel may access: sorted start and end addresses."""

    def __init__(self, extents: Iterable[tuple[int, int]]) -> None:
        self.extents = sorted(extents)
        self._starts = np.array([start for start, _ in self.extents], np.uint64)
        ends = accumulate((end for _, end in self.extents), max, initial=0)
        self._ends = np.array(list(ends), np.uint64)

    def strays(self, access: Access, arguments: tuple[Any, ...]) -> str:
        """Return a description of addresses outside of all tensors, or an empty text."""
        addresses, width = arguments[access.addresses], arguments[access.values].dtype.itemsize
        if access.mask is not None:
            addresses = addresses[arguments[access.mask]]
        if not addresses.size:
            return ""
        ends = self._ends[self._starts.searchsorted(addresses, side="right")]
        # Subtract, because the sum of address and width could overflow.
        outside = addresses[(ends < addresses) | (ends - addresses < width)]
        return self._where(access, int(outside.min()), outside.size) if outside.size else ""

    def _where(self, access: Access, address: int, count: int) -> str:
        words = f"{access.does} {count} element{'s' * (count != 1)} outside of every tensor"
        if not self.extents:
            return words
        start, end = min(self.extents, key=lambda it: max(it[0] - address, address - it[1]))
        if address < start:
            return f"{words}, the first {start - address} bytes before the start of one"
        behind = max(address - end, 0)
        return f"{words}, the first {behind} bytes behind the end of one of {end - start} bytes"


class AccessCheck:
    """Check of every access of an interpreted kernel against the memory of tensors."""

    def __init__(self) -> None:
        self._extents: Extents | None = None
        self._strays: list[str] = []
        patch_accesses(self._checked)

    def _checked(self, access: Access, original: Original) -> Original:
        def checked(*arguments: Any) -> Any:
            if self._extents is not None and (words := self._extents.strays(access, arguments)):
                self._strays.append(words)
                raise OutOfBounds(words)
            return original(*arguments)

        return checked

    @contextmanager
    def enforced(self, extents: list[tuple[int, int]]) -> Iterator[None]:
        """Refuse accesses to other memory in this context, because they could end the process."""
        self._extents = Extents(extents)
        try:
            yield
        finally:
            self._extents = None

    def take_strays(self) -> list[str]:
        """Return the accesses out of bounds since the last call, in words."""
        strays, self._strays = self._strays[:STRAYS_MOST], []
        return strays
