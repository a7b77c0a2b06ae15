"""A mode that computes in float64 where the reference asks for float32: its author widens what
the type is too narrow for, and float64 serves that better.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

# Bits read anew as another type mean that type.
LITERAL = {torch.Tensor.view, torch.finfo}
# The same seed gives other numbers in another type.
DRAWS = ("rand", "normal", "bernoulli", "uniform", "exponential", "dropout", "multinomial")


class Wide(TorchFunctionMode):
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if func is torch.Tensor.float:
            return args[0].double()
        name = getattr(func, "__name__", "")
        if func not in LITERAL and not name.startswith(DRAWS):
            args = [_widened(each) for each in args]
            given = {name: _widened(each) for name, each in given.items()}
        return func(*args, **given)


def _widened(value: Any) -> Any:
    return torch.float64 if value is torch.float32 else value
