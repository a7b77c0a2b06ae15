"""Encoder of a launcher's arguments, answers and kernels as JSON for `harness.program`."""

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import torch
import triton.language as tl
from triton.runtime.jit import KernelInterface

from validation.harness.recorder.storages import Storages
from validation.harness.worker.values import fields_of, name_of

Json = Any
Special = Callable[[Any], Json | None]
"""Function that encodes a value with a special form, and returns None for any other value."""

PLAIN_TENSORS = (torch.Tensor, torch.nn.Parameter)


class Values:
    """Encoder of values. `problems` counts values that a replay can't reproduce."""

    def __init__(self, storages: Storages, kernels: "KernelTable", problems: Counter[str]) -> None:
        self._storages, self.kernels, self._problems = storages, kernels, problems

    def encode(self, value: Any, special: Special | None = None) -> Json:
        """Encode a value: a tensor as a window, an integer within a storage as an address."""
        if special is not None and (found := special(value)) is not None:
            return found
        kind = type(value).__name__
        if isinstance(value, torch.Tensor):
            if type(value) not in PLAIN_TENSORS:
                self.refuse(value)
            return {"window": self._storages.window(value)}
        if kind == "TensorDescriptor":
            return {"descriptor": self._descriptor(value)}
        if kind == "TensorWrapper":
            return {"reinterpreted": [self._storages.window(value.base), str(value.dtype)]}
        if type(value) is int and (address := self._storages.address(value)):
            return {"address": list(address)}
        if isinstance(value, tuple | list):
            parts = [self.encode(part, special) for part in value]
            return {"tuple" if isinstance(value, tuple) else "list": parts}
        named = value if isinstance(value, dict) else fields_of(value)
        if named is not None and all(type(key) in (str, int, bool) for key in named):
            return {"dict": [[key, self.encode(part, special)] for key, part in named.items()]}
        if isinstance(value, tl.constexpr):
            return {"constexpr": self.encode(value.value)}
        if is_kernel(value):
            return {"kernel": self.kernels.key(value)}
        plain = _plain(value)
        return self.refuse(value) if plain is None else plain

    def refuse(self, value: Any) -> Json:
        """Count a value that a replay can't reproduce, and return a placeholder."""
        self._problems[f"a value of kind {type(value).__name__}"] += 1
        return {"unknown": type(value).__name__}

    def _descriptor(self, value: Any) -> Json:
        return {
            "base": self._storages.window(value.base),
            "shape": [int(size) for size in value.shape],
            "strides": [int(stride) for stride in value.strides],
            "block": [int(size) for size in value.block_shape],
            "padding": str(getattr(value, "padding", "zero")),
        }


class KernelTable:
    """Kernels of a launcher: functions of its text, with the values of names that they use."""

    def __init__(self) -> None:
        self.descriptions: dict[str, Json] = {}
        self._keys: dict[FunctionType, str] = {}

    def key(self, kernel: Any) -> str:
        """Return the key of a kernel. Describe the kernel if it is new."""
        function = function_of(kernel)
        if function not in self._keys:
            line = function.__code__.co_firstlineno
            key = self._keys[function] = f"{function.__name__}:{line}:{len(self._keys)}"
            # Resolve names after the kernel has an entry, because a name may refer to the kernel.
            self.descriptions[key] = {"name": function.__name__, "line": line, "names": {}}
            self.descriptions[key]["names"] = {
                name: self._meaning(value) for name, value in _names_of(function)
            }
        return self._keys[function]

    def _meaning(self, value: Any) -> Json:
        """Encode the value of a name that a kernel uses."""
        if isinstance(value, ModuleType):
            return {"library": [value.__name__, ""]}
        if is_kernel(value):
            function = function_of(value)
            if (function.__module__ or "").partition(".")[0] == "triton":
                return {"library": [function.__module__, function.__qualname__]}
            return {"kernel": self.key(value)}
        if isinstance(value, tl.constexpr):
            return {"constexpr": self._meaning(value.value)}
        if isinstance(value, tuple | list):
            return {"tuple": [self._meaning(part) for part in value]}
        if (plain := _plain(value)) is not None:
            return plain
        module = getattr(value, "__module__", None) or ""
        path = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        if module.partition(".")[0] in ("triton", "math") and isinstance(path, str):
            return {"library": [module, path]}
        return {"unknown": type(value).__name__}


def _plain(value: Any) -> Json | None:
    if value is None or isinstance(value, bool | str):
        return {"plain": value}
    if isinstance(value, float):
        return {"float": float(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, tl.dtype):
        return {"triton type": str(value)}
    if isinstance(value, torch.dtype):
        return {"torch type": name_of(value)}
    if isinstance(value, torch.memory_format):
        return {"memory format": str(value).removeprefix("torch.")}
    if isinstance(value, torch.layout):
        return {"layout": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": value.type}
    # Symbolic sizes and NumPy's integers have `__index__` too.
    return {"plain": int(value)} if hasattr(value, "__index__") else None


def is_kernel(value: Any) -> bool:
    return isinstance(value, KernelInterface) or type(value).__name__ == "ConstexprFunction"


def function_of(kernel: Any) -> FunctionType:
    """Return the Python function inside of a kernel's decorators."""
    while not inspect.isfunction(kernel):
        kernel = kernel.fn
    return kernel


def _names_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the global and enclosing names that the function uses, with their values."""
    scope = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name in sorted(_names_in(function)):
        if name in scope:
            yield name, scope[name]


def _names_in(function: FunctionType) -> set[str]:
    """Return the names that occur in the source of the function's body and defaults."""
    try:
        source = inspect.getsource(function)
        tree = ast.parse(f"if True:\n{source}" if source[0].isspace() else source)
    except (OSError, SyntaxError):
        return set()
    node = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    used: list[ast.AST | None] = [*node.args.defaults, *node.args.kw_defaults, *node.body]
    return {
        name.id
        for part in used
        if part is not None
        for name in ast.walk(part)
        if isinstance(name, ast.Name)
    }
