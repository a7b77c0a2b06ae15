"""Torch modes: a dispatch mode without torch's compiler, wider arithmetic, simulated rounding."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._compile import _disable_dynamo
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from validation.harness.worker.values import rebuilt, tensors_in

# Operations that only move or select elements, so their results are not rounded.
EXACT = {
    "_to_copy", "abs", "amax", "amin", "cat", "ceil", "clamp", "clamp_max", "clamp_min", "clone",
    "constant_pad_nd", "copy", "cummax", "cummin", "detach", "embedding", "fill", "flip", "floor",
    "gather", "index", "index_put", "index_select", "masked_fill", "max", "maximum", "min",
    "minimum", "neg", "relu", "repeat", "roll", "round", "scatter", "sgn", "sign", "sort", "stack",
    "topk", "tril", "triu", "trunc", "where", "zero",
}  # fmt: skip
# Functions that must get float32 as such: they reinterpret bits, or return float32's limits.
LITERAL = {torch.Tensor.view, torch.finfo}
# Random functions: with the same seed, they return other numbers in another type.
DRAWS = ("rand", "normal", "bernoulli", "uniform", "exponential", "dropout", "multinomial")


class Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Torch 2.10 and later wrap each mode to exclude it from torch.compile. The wrapper imports the
    compiler, which takes a second and 70 MiB of each fork, and slows every operation. This mode
    is wrapped only if the compiler is already imported."""

    _is_wrapped = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __enter__(self) -> "Mode":
        kind: Any = type(self)
        if "torch._dynamo" in sys.modules and not kind._is_wrapped:
            kind.__torch_dispatch__ = _disable_dynamo(kind.__torch_dispatch__)
            kind._is_wrapped = True
        super().__enter__()  # type: ignore[no-untyped-call]
        return self


class Wide(TorchFunctionMode):
    """Compute in float64 where the reference requests float32. A reference requests float32 to
    compute more precisely than in a narrower type, and float64 is more precise still."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Sequence[type], args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        given = dict(kwargs or {})
        if func is torch.Tensor.float:
            return args[0].double()
        if func not in LITERAL and not getattr(func, "__name__", "").startswith(DRAWS):
            args = [_widened(value) for value in args]
            given = {name: _widened(value) for name, value in given.items()}
        return func(*args, **given)


def _widened(value: Any) -> Any:
    return torch.float64 if value is torch.float32 else value


def last_bit(inputs: Sequence[torch.Tensor]) -> float:
    """Return the relative size of the last bit: float32's epsilon, also for narrower types, or
    float64's if all inputs are that wide."""
    floating = [tensor.dtype for tensor in inputs if tensor.is_floating_point()]
    wide = all(dtype is torch.float64 for dtype in floating)
    return torch.finfo(torch.float64 if wide else torch.float32).eps


def either_way(tensor: torch.Tensor, bit: float, generator: torch.Generator) -> torch.Tensor:
    """Return a factor for each element that moves it by its last bit, up or down at random."""
    up = torch.randint(
        0, 2, tensor.shape, generator=generator, device=tensor.device, dtype=tensor.dtype
    )
    return 1 + bit * (2 * up - 1)


class Rounding(Mode):
    """Change the result of each operation by its last bit, up or down.

    A small error of torch may be luck: the mean of a row of equal values is that value to the last
    bit, and the difference is zero. Another order of summation leaves a difference.

    generator: a separate one, so that the reference's own random numbers stay the same.
    """

    def __init__(self, bit: float, generator: torch.Generator) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.bit, self.generator = bit, generator

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        answer = func(*args, **(kwargs or {}))
        name = func._schema.name.partition("::")[2].rstrip("_")
        if func.is_view or name in EXACT or not tensors_in((args, kwargs or {})):
            return answer
        if func._schema.is_mutable:
            for tensor in filter(_computed, tensors_in(answer)):
                tensor.mul_(either_way(tensor, self.bit, self.generator))
            return answer
        return rebuilt(answer, self._rounded)

    def _rounded(self, tensor: torch.Tensor) -> torch.Tensor:
        if not _computed(tensor):
            return tensor
        return tensor * either_way(tensor, self.bit, self.generator)


def _computed(tensor: torch.Tensor) -> bool:
    return tensor.dtype in (torch.float64, torch.float32)
