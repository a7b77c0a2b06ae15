"""Code of the entry's that Triton calls on its way to a kernel, while the data lies open.

A grid and a kernel's hooks are functions, which honest launchers have too: they are called with
everything hidden. An argument whose class answers for itself, and a kernel with methods of its own,
have no place in a launcher.
"""

import gc
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from types import NoneType
from typing import Any

import torch
from torch.utils._device import DeviceContext
from triton.runtime import interpreter, jit

from validation.harness.inside.tampering import by_entry

# What a kernel may have of the entry's: its function, and what names and describes it.
OF_A_KERNEL = {"fn", "repr", "_repr", "launch_metadata", "__wrapped__"}
KERNELS = (jit.JITFunction, interpreter.InterpretedFunction)
# In these nobody can put anything, but in a tensor, which is looked at before each launch.
PLAIN = {bool, float, int, list, object, str, tuple, NoneType, torch.Tensor, torch._C.TensorBase,
         torch.device, torch.dtype}  # fmt: skip
# Called when an object is made, which is before.
BEFORE = {"__init__", "__new__", "__post_init__", "__init_subclass__"}

Apart = Callable[[], AbstractContextManager[None]]


def unwelcome(kernel: Any, args: Sequence[Any], named: Mapping[str, Any]) -> list[str]:
    """What of the entry's Triton would call that is neither a grid nor a hook."""
    if not isinstance(kernel, KERNELS):
        return [f"{type(kernel).__name__} as a kernel"]
    found = [
        f"a kernel's {name}" for name, value in vars(kernel).items()
        if name not in OF_A_KERNEL and by_entry(value)
    ]  # fmt: skip
    found += _anywhere()
    grid = named["grid"]
    rest = [value for value in named.values() if value is not grid or not callable(grid)]
    return found + [words for value in (kernel, *args, *rest) for words in _answering(value)]


def _anywhere() -> Iterator[str]:
    """What would be called whatever runs."""
    if torch._C._len_torch_dispatch_stack() > 1:
        yield "a mode of torch's"
    for place in range(torch._C._len_torch_function_stack()):
        if type(torch._C._get_function_stack_at(place)) is not DeviceContext:
            yield "a mode of torch's"
    if any(map(by_entry, gc.callbacks)):
        yield "the garbage collector's callback"
    if any(by_entry(signal.getsignal(number)) for number in signal.valid_signals()):
        yield "a signal's handler"


def _answering(value: Any) -> Iterator[str]:
    if type(value) in (tuple, list):
        for part in value:
            yield from _answering(part)
    for kind in type(value).__mro__:
        if kind in PLAIN or issubclass(kind, Enum):
            continue
        for name, part in vars(kind).items():
            function = getattr(part, "fget", None) or getattr(part, "__func__", part)
            if name not in BEFORE and by_entry(function):
                yield f"{kind.__name__}.{name}"


@contextmanager
def kept_apart(kernel: Any, named: dict[str, Any], apart: Apart) -> Iterator[dict[str, Any]]:
    """`named` with its grid, and the kernel with its hooks, called in the context `apart`."""

    def aside(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **more: Any) -> Any:
            with apart():
                return function(*args, **more)

        return called

    hooks = kernel.pre_run_hooks
    kernel.pre_run_hooks = [aside(hook) for hook in hooks]
    grid = named["grid"]
    try:
        yield {**named, "grid": aside(grid) if callable(grid) else grid}
    finally:
        kernel.pre_run_hooks = hooks
