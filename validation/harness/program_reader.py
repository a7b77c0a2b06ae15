"""Read a recorded program: JSON from a process that is not trusted, checked by type.

The types of `program` are the schema. An instruction is an object whose `do` names it, a value an
object with one key, its kind. Windows and addresses are lists, floats are hexadecimal.
"""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from validation.harness import program
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
    Window,
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
    """A recording of the wrong form."""


def read(said: Json) -> Program:
    """Return the program that `said` describes, or raise BadProgram."""
    try:
        made: Program = _Reader().read(Program, said)
    except (
        KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise BadProgram(f"a recording that can't be read: {error!r:.200}") from error
    return made


class _Reader:
    """A reader of one program. It counts the instructions."""

    def __init__(self) -> None:
        self._count = 0

    def read(self, hint: Any, said: Json) -> Any:
        """Return `said` as a value of the type `hint`."""
        if hint is Meaning:
            return self._meaning(said)
        if hint is Instruction:
            return self._instruction(said)
        if (leaf := _LEAVES.get(hint)) is not None:
            return leaf(said)
        if hint in _HINTS:
            return self._object(hint, said)
        arguments = get_args(hint)
        if get_origin(hint) is Mapping:
            return {
                self._key(arguments[0], key): self.read(arguments[1], value)
                for key, value in _typed(dict, said).items()
            }
        if get_origin(hint) is not tuple:
            # A type or None, in this order.
            return None if said is None else self.read(arguments[0], said)
        parts = _typed(list, said)
        if arguments[-1] is Ellipsis:
            return tuple(self.read(arguments[0], part) for part in parts)
        return tuple(self.read(*pair) for pair in zip(arguments, parts, strict=True))

    def _instruction(self, said: Json) -> Any:
        self._count += 1
        if self._count > INSTRUCTIONS_MOST:
            raise BadProgram(f"a recording of more than {INSTRUCTIONS_MOST:,} instructions")
        if said["do"] not in INSTRUCTIONS:
            raise BadProgram(f"a recording with an instruction {said['do']!r:.40}")
        return self._object(INSTRUCTIONS[said["do"]], said)

    def _meaning(self, said: Json) -> Meaning:
        ((kind, value),) = _typed(dict, said).items()
        if kind not in KINDS:
            raise BadProgram(f"a recording with a value of kind {kind!r:.40}")
        return Meaning(kind, self.read(KINDS[kind], value))

    def _object(self, kind: Any, said: Json) -> Any:
        hints = _HINTS[kind]
        if kind in (Window, Address):
            said = dict(zip(hints, _typed(list, said), strict=True))
        made = kind(**{name: self.read(hint, said[name]) for name, hint in hints.items()})
        if isinstance(made, Window) and len(made.shape) != len(made.strides):
            raise BadProgram("a recording with a tensor whose strides don't fit its shape")
        if isinstance(made, Launch) and not 1 <= len(made.grid) <= 3:
            raise BadProgram("a recording with a grid that does not have one to three sizes")
        return made

    def _key(self, hint: Any, key: str) -> Any:
        return self.read(hint, int(_text(key)) if hint is int else key)


def _whole(said: Json) -> int:
    """Return a whole number that is not negative: torch has no negative sizes or strides."""
    if type(said) is not int or not 0 <= said < NUMBER_MOST:
        raise BadProgram(f"a recording with {said!r:.40} where a whole number is expected")
    return said


def _sizes(said: Json) -> tuple[int, ...]:
    if len(_typed(list, said)) > DIMENSIONS_MOST:
        raise BadProgram("a recording with a tensor of too many dimensions")
    return tuple(map(_whole, said))


def _scalar(said: Json) -> Json:
    if said is None or isinstance(said, bool):
        return said
    if isinstance(said, str):
        return _text(said)
    if type(said) is not int or not -NUMBER_MOST <= said < 2 * NUMBER_MOST:
        raise BadProgram(f"a recording with {said!r:.40} where a number is expected")
    return said


def _dtype(said: Json) -> str:
    if _text(said) not in DTYPES:
        raise BadProgram(f"a recording that names a type {said!r:.40}")
    return str(said)


def _text(said: Json) -> str:
    if len(_typed(str, said)) > NAME_MOST:
        raise BadProgram(f"a recording with a name of more than {NAME_MOST} characters")
    return str(said)


def _float(said: Json) -> float:
    return float.fromhex(_text(said))


def _complex(said: Json) -> complex:
    real, imaginary = _typed(list, said)
    return complex(_float(real), _float(imaginary))


def _typed(kind: type, said: Json) -> Any:
    if not isinstance(said, kind):
        raise BadProgram(f"a recording with {said!r:.40} where {_NAMES[kind]} is expected")
    return said


# A process that runs an entry forgets this project's modules, so hints are resolved at import.
_HINTS: Mapping[Any, dict[str, Any]] = {
    kind: get_type_hints(kind, include_extras=True)
    for kind in vars(program).values()
    if is_dataclass(kind)
}
_NAMES = {list: "a list", dict: "an object", str: "a name", bool: "true or false"}
_LEAVES: Mapping[Any, Callable[[Json], Any]] = {
    int: _whole, str: _text, float: _float, complex: _complex, Dtype: _dtype, Sizes: _sizes,
    Scalar: _scalar, bool: lambda said: _typed(bool, said),
}  # fmt: skip
