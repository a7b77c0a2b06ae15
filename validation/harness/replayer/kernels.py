"""The kernels of a recording, made from the entry's text.

Each gets a module of its own. The names in it stand for data that the recording gives, for other
kernels of the text, or for parts of Triton's language; no other statement of the text is run. A
launcher that replaces a kernel's code, its `run` or its cache thereby changes nothing here.
"""

import importlib
import itertools
import linecache
from collections.abc import Mapping
from typing import Any

import torch
import triton
import triton.language as tl

from validation.harness.program import Kernel, Meaning
from validation.harness.replayer.kernel_syntax import (
    Refused,
    acceptable,
    check,
    definitions,
    is_language,
)

_numbers = itertools.count(1)


class Kernels:
    """The kernels of one text, made when they are first asked for. `text` is `triton_code`."""

    def __init__(self, text: str, asked: Mapping[str, Kernel]) -> None:
        try:
            self._definitions = definitions(text)
        except (SyntaxError, RecursionError, ValueError) as error:
            raise Refused(f"triton_code can't be parsed: {error}") from error
        self._asked = asked
        self._made: dict[str, Any] = {}
        self._being_made: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        if key not in self._made:
            self._made[key] = self._make(key)
        return self._made[key]

    def _make(self, key: str) -> Any:
        asked = self._asked.get(key)
        if asked is None:
            raise Refused(f"the recording does not describe its kernel {key}")
        definition = self._definitions.get((asked.name, asked.line))
        if definition is None:
            raise Refused(f"{asked.name} is no function of triton_code in line {asked.line}")
        self._being_made.add(key)
        try:
            names = self._names(asked.names)
        finally:
            self._being_made.discard(key)
        check(definition, names)
        file = f"<kernel {next(_numbers)}: {asked.name}>"
        source = definition.source
        # Triton reads a kernel's source through its file.
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        # Triton takes annotated constants only. A text without annotations fails its own test.
        constants = {name: tl.constexpr for name, value in names.items() if _is_constant(value)}
        space = {**names, "__name__": "triton_code", "__annotations__": constants, "triton": triton}
        # The interpreter looks for it among the values of a kernel's names.
        space.setdefault("tl", tl)
        exec(compile(source, file, "exec"), space)  # noqa: S102 - its syntax was checked
        made = space[asked.name]
        # One without decorators is made a kernel by a call.
        return made if hasattr(made, "fn") else triton.jit(made)

    def _names(self, given: Mapping[str, Meaning]) -> dict[str, Any]:
        known = {}
        for name, meaning in given.items():
            value = self._value(meaning)
            if value is not UNKNOWN:
                known[name] = value
        return known

    def _value(self, meaning: Meaning) -> Any:
        """Return what a name stands for, or UNKNOWN: a kernel that reaches it then fails."""
        match meaning.kind:
            case "plain" | "float":
                return meaning.value
            case "constexpr":
                inner = self._value(meaning.value)
                return UNKNOWN if inner is UNKNOWN else tl.constexpr(inner)
            case "triton type":
                return triton_type(meaning.value)
            case "torch type":
                return getattr(torch, meaning.value)
            case "tuple":
                parts = [self._value(part) for part in meaning.value]
                return UNKNOWN if UNKNOWN in parts else tuple(parts)
            case "kernel":
                # A helper that calls itself: Triton has no recursion.
                return UNKNOWN if meaning.value in self._being_made else self[meaning.value]
            case "library":
                return _of_library(*meaning.value)
            case _:
                return UNKNOWN


UNKNOWN: Any = object()


def _is_constant(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str | tuple | tl.dtype)


def _of_library(module: str, path: str) -> Any:
    """Return a module of Triton's language, or what `path` names in it. Each step is checked: a
    module of Triton's holds `os` by import."""
    if not is_language(module):
        return UNKNOWN
    try:
        thing: Any = importlib.import_module(module)
        for name in path.split(".") if path else ():
            thing = getattr(thing, name)
            if not acceptable(thing):
                return UNKNOWN
    except (ImportError, AttributeError):
        return UNKNOWN
    return thing


def triton_type(name: str) -> tl.dtype:
    for kind in vars(tl).values():
        if isinstance(kind, tl.dtype) and str(kind) == name:
            return kind
    raise Refused(f"{name[:40]} is no type of Triton's")
