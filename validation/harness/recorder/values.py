"""Kernels and their arguments as data: which function of the text, and what its names mean."""

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import torch
import triton.language as tl
from triton.runtime.jit import KernelInterface

from validation.harness.recorder.storages import Storages, name_of

Json = Any

PLAIN_TENSORS = (torch.Tensor, torch.nn.Parameter)


class Values:
    """Writes values as the program has them. `problems` counts what it has no place for."""

    def __init__(self, storages: Storages, kernels: "KernelTable", problems: Counter[str]) -> None:
        self._storages, self.kernels, self._problems = storages, kernels, problems

    def argument(self, value: Any) -> Json:
        """Return a kernel's argument. An address of a known storage is one in the replay too."""
        if isinstance(value, torch.Tensor):
            if type(value) not in PLAIN_TENSORS:
                self._problems[f"an argument of kind {type(value).__name__}"] += 1
            return {"window": self._storages.window(value)}
        if type(value).__name__ == "TensorDescriptor":
            return {"descriptor": self._descriptor(value)}
        if type(value).__name__ == "TensorWrapper":
            return {"reinterpreted": [self._storages.window(value.base), str(value.dtype)]}
        if type(value) is int and (address := self._storages.address(value)):
            return {"address": address}
        if isinstance(value, tuple | list):
            return {"tuple": [self.argument(part) for part in value]}
        if isinstance(value, tl.constexpr):
            return {"constexpr": self.argument(value.value)}
        if is_kernel(value):
            return {"kernel": self.kernels.key(value)}
        if (plain := _plain(value)) is not None:
            return plain
        self._problems[f"an argument of kind {type(value).__name__}"] += 1
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
    """A launcher's kernels: which functions of the text they are, and what their names mean."""

    def __init__(self) -> None:
        self.descriptions: dict[str, Json] = {}
        self._keys: dict[FunctionType, str] = {}

    def key(self, kernel: Any) -> str:
        """Return the key of a kernel, and describe it if it is new."""
        function = function_of(kernel)
        if function not in self._keys:
            line = function.__code__.co_firstlineno
            key = self._keys[function] = f"{function.__name__}:{line}:{len(self._keys)}"
            # Before its names: they may lead back to it.
            self.descriptions[key] = {"name": function.__name__, "line": line, "names": {}}
            self.descriptions[key]["names"] = {
                name: self._meaning(value) for name, value in _names_of(function)
            }
        return self._keys[function]

    def _meaning(self, value: Any) -> Json:
        """Return what a name in a kernel stands for."""
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
        return {"float": float(value).hex()}
    if isinstance(value, tl.dtype):
        return {"triton type": str(value)}
    if isinstance(value, torch.dtype):
        return {"torch type": name_of(value)}
    # Also a symbolic size and a number of NumPy's.
    return {"plain": int(value)} if hasattr(value, "__index__") else None


def is_kernel(value: Any) -> bool:
    return isinstance(value, KernelInterface) or type(value).__name__ == "ConstexprFunction"


def function_of(kernel: Any) -> FunctionType:
    """Return the Python function under a kernel's decorators."""
    while not inspect.isfunction(kernel):
        kernel = kernel.fn
    return kernel


def _names_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the global and enclosing names that the function uses, with what they stand for."""
    scope = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name in sorted(_names_in(function.__code__) | _names_in_defaults(function)):
        if name in scope:
            yield name, scope[name]


def _names_in(code: CodeType) -> set[str]:
    """Return every name in the code, attributes among them."""
    names = {*code.co_names, *code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_in(constant)
    return names


def _names_in_defaults(function: FunctionType) -> set[str]:
    """Return the names in the defaults of the function's parameters, as its text has them."""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError):
        return set()
    if not isinstance(node, ast.FunctionDef):
        return set()
    defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    return {part.id for one in defaults for part in ast.walk(one) if isinstance(part, ast.Name)}
