"""Code of the entry's that Triton calls on its way to a kernel.

A grid and a kernel's hooks are functions, which honest launchers have too: they are called before
the data is shown, as is all that Triton asks before it knows how large the grid is. What it would
call after that, or Python would whatever runs, has no place in a launcher.
"""

import signal
from _signal import getsignal  # type: ignore[import-not-found]
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np
import torch
import triton.language as tl
from torch.utils._device import DeviceContext
from triton.compiler.compiler import CompiledKernel
from triton.runtime import driver, interpreter, jit

from validation.harness.inside.kinds import ASKED, answers, is_known, written

# What a kernel may have of the entry's: its function, and what names and describes it.
OF_A_KERNEL = frozenset({"fn", "repr", "_repr", "launch_metadata", "__wrapped__"})
KERNELS = (jit.JITFunction, interpreter.InterpretedFunction)
# By where they are: a class of the entry's can have an answer of its own to what it equals.
TENSORS = frozenset(map(id, (torch.Tensor, torch.nn.Parameter)))
PLAIN = frozenset(
    map(id, (bool, float, int, str, NoneType, torch.dtype, torch.device, tl.dtype, tl.constexpr))
)
# Older ones have none.
DESCRIPTOR = getattr(interpreter, "TensorDescriptor", tl.dtype)
# What Triton or torch may ask of an argument: no more than what their own have.
LOOKED_FOR = frozenset({
    name for kind in (torch.Tensor, *KERNELS, DESCRIPTOR, tl.constexpr, tl.dtype, tl.tensor)
    for name in (*dir(kind), *getattr(kind, "__dataclass_fields__", ()))
    if name not in ("__repr__", "__str__")
} | ASKED)  # fmt: skip
SIGNALS = tuple(map(int, signal.valid_signals()))
# What was registered with torch by Python, and where nobody comes by without asking for it.
IMPLEMENTED = frozenset(torch.library._impls)
ELSEWHERE = ("/FuncTorchBatched", "/Meta")


def unwelcome(kernel: Any, args: Sequence[Any], named: Mapping[str, Any]) -> list[str]:
    """What of the entry's has no place among what a kernel is launched with."""
    if not issubclass(type(kernel), KERNELS):
        return [f"{type(kernel).__name__} as a kernel"]
    found = [
        f"a kernel's {name}" for name, value in vars(kernel).items()
        if name not in OF_A_KERNEL and (name in LOOKED_FOR or name[:2] == "__")
        and answers(name, value)
    ]  # fmt: skip
    given = (kernel, *args, *(value for name, value in named.items() if name != "grid"))
    kinds: dict[int, type] = {}
    found += [words for value in given for words in _answering(value, kinds)]
    return found + [
        words for kind in kinds.values() for words in written(kind, looked_for=LOOKED_FOR)
    ]


def compiled_by_triton(compiled: Any) -> bool:
    """Whether what Triton keeps as its compiled kernel is one, and what starts it is the driver's.
    Nothing is, where it interprets."""
    if compiled is None:
        return True
    if type(compiled) is not CompiledKernel:
        return False
    parts = {**vars(compiled)}
    starts = parts.pop("_run", None)
    if any(answers(name, part) for name, part in parts.items()):
        return False
    kind = type(starts)
    return starts is None or (kind is driver.active.launcher_cls and is_known(kind))


def memory_among(value: Any) -> list[torch.Tensor]:
    """Tensors that a kernel is handed, in whatever wrapping."""
    if isinstance(value, tuple | list):
        return [tensor for part in value for tensor in memory_among(part)]
    if not isinstance(value, torch.Tensor):
        value = getattr(value, "base", None)
    return [value] if isinstance(value, torch.Tensor) else []


def anywhere() -> Iterator[str]:
    """What would be called whatever runs."""
    if torch._C._len_torch_dispatch_stack() > 1:
        yield "a mode of torch's"
    for place in range(torch._C._len_torch_function_stack()):
        if type(torch._C._get_function_stack_at(place)) is not DeviceContext:
            yield "a mode of torch's"
    for name in torch.library._impls - IMPLEMENTED:
        if name.startswith("aten/") and not name.endswith(ELSEWHERE):
            yield f"{name}, which was replaced,"
    if not all(map(_nobodys, map(getsignal, SIGNALS))):
        yield "a signal's handler"


def _nobodys(handler: Any) -> bool:
    """Not by comparing: that could be answered."""
    return handler is None or handler is signal.default_int_handler or type(handler) is int


def _answering(value: Any, kinds: dict[int, type]) -> Iterator[str]:
    """What would answer in a tensor's place. The kinds that come by are taken note of."""
    kind = type(value)
    if kind is tl.constexpr:
        yield from _answering(value.value, kinds)
    if id(kind) in PLAIN or (issubclass(kind, np.generic) and is_known(kind)):
        return
    if isinstance(value, tuple | list):
        for part in tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value):
            yield from _answering(part, kinds)
    elif id(kind) in TENSORS:
        own = vars(value)
        if any(callable(own[name]) for name in LOOKED_FOR & own.keys()) or "base" in own:
            yield "a tensor that answers for itself"
    elif (base := getattr(value, "base", None)) is not None:
        yield from _answering(base, kinds)
    elif not issubclass(kind, KERNELS) and hasattr(value, "data_ptr"):
        yield f"{kind.__name__} in place of a tensor"
    kinds[id(kind)] = kind
