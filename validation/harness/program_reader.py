"""Parse a recorded program: JSON from an untrusted process, checked against types.

The types of `program` are the schema. An instruction is an object with its type under `do`. A value
is an object with one key, its kind. Windows and addresses are lists.
"""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial
from typing import Any, get_args, get_origin, get_type_hints

from validation.harness import program as schema
from validation.harness.program import (
    INSTRUCTIONS,
    KINDS,
    Address,
    Dtype,
    Instruction,
    Launch,
    Meaning,
    Program,
    Scalar,
    Sizes,
    TensorView,
)

Json = Any

INSTRUCTIONS_MOST = 200_000
DIMENSIONS_MOST = 64
NUMBER_MOST = 1 << 63
NAME_MOST = 400

DTYPES = frozenset({
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
    "float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
    "float4_e2m1fn_x2",
})  # fmt: skip


class BadProgram(Exception):
    """A recording does not have the form of a program."""


def read(data: Json) -> Program:
    """Return the program that the JSON describes, or raise BadProgram."""
    try:
        program: Program = _Reader().read(Program, data)
    except (
        KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise BadProgram(f"a recording that can't be read: {error!r:.200}") from error
    return program


class _Reader:
    """Parser of one program, with a limit on its number of instructions."""

    def __init__(self) -> None:
        self._count = 0

    def read(self, hint: Any, data: Json) -> Any:
        """Parse the data as a value of the type `hint`."""
        if hint is Meaning:
            return self._meaning(data)
        if hint is Instruction:
            return self._instruction(data)
        if (leaf := _LEAVES.get(hint)) is not None:
            return leaf(data)
        if hint in _HINTS:
            return self._object(hint, data)
        arguments = get_args(hint)
        if get_origin(hint) is Mapping:
            return {
                self._key(arguments[0], key): self.read(arguments[1], value)
                for key, value in _typed(dict, data).items()
            }
        if get_origin(hint) is not tuple:
            # In hints of the form `T | None`, the type comes first.
            return None if data is None else self.read(arguments[0], data)
        parts = _typed(list, data)
        if arguments[-1] is Ellipsis:
            return tuple(self.read(arguments[0], part) for part in parts)
        return tuple(self.read(*pair) for pair in zip(arguments, parts, strict=True))

    def _instruction(self, data: Json) -> Any:
        self._count += 1
        if self._count > INSTRUCTIONS_MOST:
            raise BadProgram(f"a recording of more than {INSTRUCTIONS_MOST:,} instructions")
        if data["do"] not in INSTRUCTIONS:
            raise BadProgram(f"a recording with an instruction {data['do']!r:.40}")
        return self._object(INSTRUCTIONS[data["do"]], data)

    def _meaning(self, data: Json) -> Meaning:
        ((kind, value),) = _typed(dict, data).items()
        if kind not in KINDS:
            raise BadProgram(f"a recording with a value of kind {kind!r:.40}")
        return Meaning(kind, self.read(KINDS[kind], value))

    def _object(self, kind: Any, data: Json) -> Any:
        hints = _HINTS[kind]
        if kind in (TensorView, Address):
            data = dict(zip(hints, _typed(list, data), strict=True))
        value = kind(**{name: self.read(hint, data[name]) for name, hint in hints.items()})
        if isinstance(value, TensorView) and len(value.shape) != len(value.strides):
            raise BadProgram("a recording with a tensor whose strides don't fit its shape")
        if isinstance(value, Launch) and not 1 <= len(value.grid) <= 3:
            raise BadProgram("a recording with a grid that does not have one to three sizes")
        return value

    def _key(self, hint: Any, key: str) -> Any:
        return self.read(hint, int(_text(key)) if hint is int else key)


def _whole(data: Json) -> int:
    """Return a non-negative integer, because torch has no negative sizes or strides."""
    if type(data) is not int or not 0 <= data < NUMBER_MOST:
        raise BadProgram(f"a recording with {data!r:.40} where a whole number is expected")
    return data


def _sizes(data: Json) -> tuple[int, ...]:
    if len(_typed(list, data)) > DIMENSIONS_MOST:
        raise BadProgram("a recording with a tensor of too many dimensions")
    return tuple(map(_whole, data))


def _scalar(data: Json) -> Json:
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, str):
        return _text(data)
    if type(data) is not int or not -NUMBER_MOST <= data < 2 * NUMBER_MOST:
        raise BadProgram(f"a recording with {data!r:.40} where a number is expected")
    return data


def _dtype(data: Json) -> str:
    if _text(data) not in DTYPES:
        raise BadProgram(f"a recording that names a type {data!r:.40}")
    return str(data)


def _text(data: Json) -> str:
    if len(_typed(str, data)) > NAME_MOST:
        raise BadProgram(f"a recording with a name of more than {NAME_MOST} characters")
    return str(data)


def _complex(data: Json) -> complex:
    real, imaginary = _typed(list, data)
    return complex(_typed(float, real), _typed(float, imaginary))


def _typed(kind: type, data: Json) -> Any:
    if not isinstance(data, kind):
        raise BadProgram(f"a recording with {data!r:.40} where {_NAMES[kind]} is expected")
    return data


# Resolve hints at import, because a child removes these modules before it runs an entry.
_HINTS: Mapping[Any, dict[str, Any]] = {
    kind: get_type_hints(kind, include_extras=True)
    for kind in vars(schema).values()
    if is_dataclass(kind)
}
_NAMES = {list: "a list", dict: "an object", str: "a name", float: "a float", bool: "true or false"}
_LEAVES: Mapping[Any, Callable[[Json], Any]] = {
    int: _whole, str: _text, complex: _complex, Dtype: _dtype, Sizes: _sizes, Scalar: _scalar,
    **{kind: partial(_typed, kind) for kind in (bool, float)},
}  # fmt: skip
