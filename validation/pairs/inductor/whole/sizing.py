"""Sandbox side: input sizes of a function that may vary, and which must be equal.

The function runs on tensors with symbolic sizes. If it compares two sizes, they become one symbol.
If it compares a size with a number, the size becomes that number. A symbol with another condition,
such as divisibility, keeps the model's value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from validation.pairs.inductor.unwritable import Unwritable

Shape = tuple[str | int, ...]
Place = tuple[int, int]
"""Index of an input, and of an axis in it."""
NAMES = ("m", "n", "k", "p", "q", "r", "s", "t")
ROUNDS = 8


def sizes(function: Callable[..., Any], examples: Sequence[torch.Tensor]) -> list[Shape]:
    """Return for each input axis a number if it is fixed, or a name if it may vary."""
    fixed: set[Place] = set()
    for _ in range(ROUNDS):
        run = _Run(function, examples, fixed)
        more = set(run.asked_more_of())
        if not more:
            return run.named()
        fixed |= more
    raise Unwritable("its sizes can't be told apart")


class _Run:
    def __init__(
        self, function: Callable[..., Any], examples: Sequence[torch.Tensor], fixed: set[Place]
    ) -> None:
        # Import late: it imports Inductor, which takes 5 CPU seconds; tracing does not need it.
        from validation.pairs.inductor.lower import symbolic

        self._shapes = ShapeEnv(duck_shape=False)
        with FakeTensorMode(shape_env=self._shapes, allow_non_fake_inputs=True), torch.no_grad():
            inputs = [
                symbolic(self._shapes, one, place, fixed) for place, one in enumerate(examples)
            ]
            self._sizes = [[_expression(size) for size in one.shape] for one in inputs]
            function(*inputs)

    def asked_more_of(self) -> Iterator[Place]:
        """Yield one size that must be fixed: fixing it often resolves conditions on other sizes."""
        blamed: Counter[sympy.Symbol] = Counter()
        own = [(place, axis, self._now(size)) for place, axis, size in self._places()]
        known = {now for _, _, now in own if isinstance(now, sympy.Symbol)}
        for asked in self._asked():
            if asked.free_symbols <= known and not _holds_anyway(asked):
                blamed.update(
                    symbol for symbol in sympy.preorder_traversal(asked) if symbol.is_Symbol
                )
        for _, _, now in own:
            if not isinstance(now, int | sympy.Symbol):
                blamed.update(now.free_symbols)
        if blamed:
            most = max(blamed, key=lambda symbol: (blamed[symbol], str(symbol)))
            yield from ((place, axis) for place, axis, now in own if now == most)

    def _asked(self) -> list[sympy.Basic]:
        told = [guard.expr for guard in self._shapes.guards]
        whole = [sympy.Eq(rest, 0) for rest in self._shapes.divisible]
        return [self._shapes.replace(one) for one in (*told, *whole)]

    def _places(self) -> Iterator[tuple[int, int, int | sympy.Symbol]]:
        for place, one in enumerate(self._sizes):
            for axis, size in enumerate(one):
                yield place, axis, size

    def named(self) -> list[Shape]:
        names: dict[Any, str | int] = {}
        free = iter(NAMES)
        for shape in self._sizes:
            for size in shape:
                now = self._now(size)
                if now not in names:
                    names[now] = now if isinstance(now, int) else next(free, "")
        if "" in names.values():
            raise Unwritable("it has too many sizes")
        return [tuple(names[self._now(size)] for size in shape) for shape in self._sizes]

    def _now(self, size: int | sympy.Symbol) -> Any:
        if isinstance(size, int):
            return size
        now = self._shapes.replace(size)
        return int(now) if now.is_number else now


def _holds_anyway(condition: sympy.Basic) -> bool:
    """Return whether a condition holds for sizes above 1, tested with a few values."""
    if isinstance(condition, sympy.Ne):
        # An inequality of two symbols, which are distinct anyway.
        return True
    symbols = sorted(condition.free_symbols, key=str)
    tries = (
        {symbol: 2 + (start + step * place) % 37 for place, symbol in enumerate(symbols)}
        for start in range(6)
        for step in (1, 5, 11)
    )
    try:
        return all(condition.subs(values) == sympy.true for values in tries)
    except ZeroDivisionError:
        return False


def _expression(size: Any) -> int | sympy.Symbol:
    return size.node.expr if isinstance(size, torch.SymInt) else size
