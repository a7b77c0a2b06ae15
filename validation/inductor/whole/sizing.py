"""Inside the sandbox: which sizes of a function's inputs may vary, and which hang together.

The function runs on tensors whose sizes are symbols. What it compares becomes one symbol, what it
compares with a number becomes that number; and a symbol of which it asks anything else (that a
half of it be whole, say) stays as it was in the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from validation.inductor.lower import symbolic
from validation.inductor.unwritable import Unwritable

Shape = tuple[str | int, ...]
Place = tuple[int, int]
"""Of an input, and of an axis in it."""
NAMES = ("m", "n", "k", "p", "q", "r", "s", "t")
ROUNDS = 8


def sizes(function: Callable[..., Any], examples: Sequence[torch.Tensor]) -> list[Shape]:
    """Of each input: a number where nothing else would do, a name where it may vary."""
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
        self._shapes = ShapeEnv(duck_shape=False)
        with FakeTensorMode(shape_env=self._shapes, allow_non_fake_inputs=True), torch.no_grad():
            inputs = [
                symbolic(self._shapes, one, place, fixed) for place, one in enumerate(examples)
            ]
            self._sizes = [[_expression(size) for size in one.shape] for one in inputs]
            function(*inputs)

    def asked_more_of(self) -> Iterator[Place]:
        troubled: set[sympy.Symbol] = set()
        known = {self._now(size) for one in self._sizes for size in one}
        for guard in self._shapes.guards:
            asked = self._shapes.simplify(guard.expr)
            static = self._shapes._maybe_evaluate_static(asked) is not None
            if not static and not isinstance(asked, sympy.Ne) and asked.free_symbols <= known:
                troubled |= asked.free_symbols
        for place, one in enumerate(self._sizes):
            for axis, size in enumerate(one):
                now = self._now(size)
                derived = not isinstance(now, int | sympy.Symbol)
                if derived or now in troubled:
                    yield place, axis

    def named(self) -> list[Shape]:
        names: dict[Any, str | int] = {}
        free = iter(NAMES)
        for one in self._sizes:
            for size in one:
                now = self._now(size)
                if now not in names:
                    names[now] = now if isinstance(now, int) else next(free, "")
        if "" in names.values():
            raise Unwritable("it has too many sizes")
        return [tuple(names[self._now(size)] for size in one) for one in self._sizes]

    def _now(self, size: int | sympy.Symbol) -> Any:
        if isinstance(size, int):
            return size
        now = self._shapes.replace(size)
        return int(now) if now.is_number else now


def _expression(size: Any) -> int | sympy.Symbol:
    return size.node.expr if isinstance(size, torch.SymInt) else size
