"""Order in which Triton's interpreter runs the programs of a launch.

A GPU runs programs in any order and several at once. The interpreter runs one after the other, and
each program sees the stores of earlier programs. So a kernel with a race would pass.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from triton.runtime import interpreter

from validation.harness.plan.trial_plan import ORDERS
from validation.harness.worker.extents import Access, patch_accesses

# A program counts as waiting if it makes more accesses than this number plus twice the maximum of
# all programs in the first run.
WAITING = 100
UNSYNCHRONIZED = "a program waits for another one without an atomic operation"


class Waits(BaseException):
    """A program waits for a later program. Not a subclass of Exception, which would be wrapped."""


class ProgramOrder:
    """Order of programs in this process.

    In a reversed run the last program runs first. In a shuffled run, a program also sees no stores
    of other programs until it reaches an atomic operation, which synchronizes them.
    """

    def __init__(self) -> None:
        self._mode, self._launch = "", 0
        self._most: list[int] = []
        """For each launch of the first run, the largest number of accesses by a program."""
        self._accesses, self._limit = 0, math.inf
        self._synchronizes = False
        """Whether a program of this launch ran an atomic operation or a volatile load."""
        self._order: list[int] | None = None
        self._own: list[tuple[Any, Any, Any, Any]] = []
        """Stores of the running program: addresses, values, mask, and the overwritten values."""
        self._hidden: list[tuple[Any, Any, Any]] = []
        """Stores of other programs that the running one does not see."""
        builder: Any = interpreter.interpreter_builder
        self._place, self._size = builder.set_grid_idx, builder.set_grid_dim
        builder.set_grid_idx, builder.set_grid_dim = self._begin_program, self._begin_grid
        for name in [name for name in dir(builder) if name.startswith("create_atomic")]:
            setattr(builder, name, self._synchronizing(getattr(builder, name)))
        builder.create_masked_load = self._volatile(builder.create_masked_load)
        memory: Any = interpreter._interpreter
        self._load, self._store = memory.load, memory.store
        memory.store = self._stored
        patch_accesses(self._counting)

    @contextmanager
    def of(self, mode: str) -> Iterator[None]:
        """Run programs in the order of this mode. A trial's first run must use the normal order."""
        self._mode, self._launch = mode, 0
        if mode == "first":
            self._most = []
        try:
            yield
        finally:
            self._mode, self._order, self._limit = "", None, math.inf
            self._own, self._hidden = [], []

    @contextmanager
    def launch(self) -> Iterator[None]:
        """Run one launch. Afterwards, memory holds the stores of all its programs."""
        self._accesses, self._synchronizes = 0, False
        if self._mode == "first":
            self._most.append(0)
        elif self._mode in ORDERS:
            if self._launch == len(self._most):
                # The first run had fewer launches.
                raise Waits
            self._limit = 2 * self._most[self._launch] + WAITING
        yield
        self._end_program()
        self._publish()
        self._order, self._launch = None, self._launch + 1

    def _begin_grid(self, *grid: int) -> None:
        self._size(*grid)
        count = math.prod(grid)
        if self._mode == "reversed":
            self._order = list(reversed(range(count)))
        elif self._mode == "shuffled":
            self._order = [int(number) for number in np.random.default_rng(0).permutation(count)]

    def _begin_program(self, *place: int) -> None:
        self._end_program()
        if self._order is not None:
            grid = interpreter.interpreter_builder.grid_dim
            number = self._order[int(np.ravel_multi_index(place, grid))]
            place = tuple(int(part) for part in np.unravel_index(number, grid))
        self._place(*place)

    def _end_program(self) -> None:
        if self._mode == "first":
            self._most[-1] = max(self._most[-1], self._accesses)
        for addresses, _, mask, before in reversed(self._own):
            self._store(addresses, before, mask)
        self._hidden += [(addresses, values, mask) for addresses, values, mask, _ in self._own]
        self._own, self._accesses = [], 0

    def _publish(self) -> None:
        """Make all stores visible to the running program and to later ones."""
        own = [(addresses, values, mask) for addresses, values, mask, _ in self._own]
        for stored in (*self._hidden, *own):
            self._store(*stored)
        self._own, self._hidden = [], []

    def _stored(self, addresses: Any, values: Any, mask: Any) -> None:
        if self._mode == "shuffled":
            before = self._load(addresses, mask, np.zeros_like(values), values.dtype)
            self._own.append((addresses, values.copy(), mask, before))
        self._store(addresses, values, mask)

    def _synchronizing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def synchronized(*arguments: Any, **named: Any) -> Any:
            self._synchronizes = True
            self._publish()
            result = original(*arguments, **named)
            self._publish()
            return result

        return synchronized

    def _volatile(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def loaded(*arguments: Any, **named: Any) -> Any:
            if named.get("is_volatile", arguments[-1]) is True:
                self._synchronizes = True
                self._publish()
            return original(*arguments, **named)

        return loaded

    def _counting(self, _: Access, original: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            self._accesses += 1
            if self._accesses > self._limit:
                raise Waits if self._synchronizes else RuntimeError(UNSYNCHRONIZED)
            return original(*arguments)

        return counted
