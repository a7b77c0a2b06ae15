"""Kernels of a program, created from the entry's text.

A launcher could replace a kernel's code, its `run` or its cache. So each kernel is created here, in
a module of its own, and no other statement of the text is run. The program has the values of the
names in that module: constants, other kernels of the text, or parts of Triton's language.
"""

import itertools
import linecache
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import torch
import triton
import triton.language as tl

from validation.harness.program import KINDS, Descriptor, Meaning, ProgramKernel, TensorView
from validation.harness.replayer.kernel_syntax import (
    UnsupportedKernel,
    annotated_constants,
    check,
    definitions,
    resolve,
)

# Kinds of values that a name in a kernel may have as a constant.
OF_NAMES = {"plain", "float", "triton type", "torch type", "tuple"}
_numbers = itertools.count(1)


class TextKernels:
    """Kernels of one `triton_code`. Each is created when it is first used."""

    def __init__(self, text: str, kernels: Mapping[str, ProgramKernel]) -> None:
        self._definitions, self._kernels = definitions(text), kernels
        self._annotated = annotated_constants(text)
        self.unknown: set[str] = set()
        """Names in kernels whose values the recording does not describe."""
        self._of_names: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(KINDS.keys() - OF_NAMES, _unknown),
            "constexpr": lambda inner: tl.constexpr(value_of(inner, self._of_names)),
            "kernel": self._kernel,
            "library": _library,
        }
        self._made: dict[str, Any] = {}
        self._being_made: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        if key not in self._made:
            self._made[key] = self._make(key)
        return self._made[key]

    def line(self, name: str) -> int | None:
        """Return the line of the `def` of this function, if the text has only one of this name."""
        lines = [one.node.lineno for one in self._definitions.values() if one.name == name]
        return lines[0] if len(lines) == 1 else None

    def _make(self, key: str) -> Any:
        description = self._kernels.get(key)
        if description is None:
            raise UnsupportedKernel(f"the recording does not describe its kernel {key}")
        definition = self._definitions.get((description.name, description.line))
        if definition is None:
            raise UnsupportedKernel(
                f"{description.name} is no function of triton_code in line {description.line}"
            )
        self._being_made.add(key)
        try:
            names = self._names(description.names)
        finally:
            self._being_made.discard(key)
        check(definition, names)
        file = f"<kernel {next(_numbers)}: {description.name}>"
        source = definition.source
        # Triton gets a kernel's source from its file, through linecache.
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        # Triton up to 3.6 accepts a global number as a constant only if it is annotated.
        annotations = dict.fromkeys(self._annotated & names.keys(), tl.constexpr)
        space = {
            **names,
            "__name__": "triton_code",
            "__annotations__": annotations,
            "triton": triton,
        }
        # The interpreter looks for this module among the globals of a kernel.
        space.setdefault("tl", tl)
        exec(compile(source, file, "exec"), space)  # noqa: S102 - its syntax was checked
        kernel = space[description.name]
        # A function without decorators becomes a kernel here.
        return kernel if hasattr(kernel, "fn") else triton.jit(kernel)

    def _names(self, given: Mapping[str, Meaning]) -> dict[str, Any]:
        """Return the known values of names. A kernel that uses another name fails when it runs."""
        values: dict[str, Any] = {}
        for name, meaning in given.items():
            try:
                values[name] = value_of(meaning, self._of_names)
            except _Unknown:
                if meaning.value not in self._being_made:
                    self.unknown.add(name)
        return values

    def _kernel(self, key: str) -> Any:
        # A kernel that uses itself is unknown, because Triton has no recursion.
        return _unknown(key) if key in self._being_made else self[key]


class _Unknown(Exception):
    """A name in a kernel has a value that the recording does not describe."""


def _unknown(_: Any) -> NoReturn:
    raise _Unknown


def _library(place: tuple[str, str]) -> Any:
    module, path = place
    try:
        return resolve(module, path.split(".") if path else ())
    except (UnsupportedKernel, ImportError, AttributeError):
        raise _Unknown from None


def value_of(meaning: Meaning, special: Mapping[str, Callable[[Any], Any]]) -> Any:
    """Return the value that a `Meaning` describes. `special`: functions for some of its kinds."""
    value = meaning.value
    if meaning.kind in special:
        return special[meaning.kind](value)
    match meaning.kind:
        case "tuple":
            return tuple(value_of(part, special) for part in value)
        case "list":
            return [value_of(part, special) for part in value]
        case "dict":
            return {key: value_of(part, special) for key, part in value}
        case "constexpr":
            return value_of(value, special)
    return constant(meaning)


def values_of_views(view: Callable[[TensorView], torch.Tensor]) -> dict[str, Callable[[Any], Any]]:
    """Return functions for the kinds of values that contain tensors. `view` makes the tensors."""

    def descriptor(given: Descriptor) -> Any:
        from triton.tools.tensor_descriptor import TensorDescriptor

        parts = [list(part) for part in (given.shape, given.strides, given.block)]
        padding = {} if given.padding == "zero" else {"padding": given.padding}
        return TensorDescriptor(view(given.base), *parts, **padding)

    def reinterpreted(given: tuple[TensorView, str]) -> Any:
        return triton.reinterpret(view(given[0]), constant(Meaning("triton type", given[1])))

    return {"window": view, "descriptor": descriptor, "reinterpreted": reinterpreted}


def constant(meaning: Meaning) -> Any:
    """Return a constant that is the same in every process, such as a number or a type."""
    match meaning.kind:
        case "plain" | "float" | "complex":
            return meaning.value
        case "torch type":
            return getattr(torch, meaning.value)
        case "triton type":
            for kind in vars(tl).values():
                if isinstance(kind, tl.dtype) and str(kind) == meaning.value:
                    return kind
        case "memory format" | "layout":
            value = getattr(torch, meaning.value, None)
            if isinstance(value, torch.memory_format | torch.layout):
                return value
    raise UnsupportedKernel(f"a value that no replay has: {meaning.kind} {meaning.value!r:.40}")
