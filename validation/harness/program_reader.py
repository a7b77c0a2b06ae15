"""Reads a recorded program, as JSON from a process that is not trusted. Checks its form."""

from collections.abc import Callable, Sequence
from typing import Any

from validation.harness.program import (
    Address,
    Allocate,
    Backward,
    Constant,
    Copy,
    Descriptor,
    Earlier,
    Fill,
    Function,
    Instruction,
    Kernel,
    Launch,
    Meaning,
    Operation,
    Output,
    Poison,
    Program,
    Read,
    RecordEvent,
    Result,
    Synchronize,
    UseStream,
    WaitEvent,
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
    """A recording that is not of the form that it must have."""


def read(said: Json) -> Program:
    """Return the program that `said` describes, or raise BadProgram."""
    reader = _Reader()
    try:
        return Program(
            inputs=tuple(map(_maybe, _list(said["inputs"]))),
            kernels={_text(key): _kernel(one) for key, one in _dict(said["kernels"]).items()},
            instructions=reader.instructions(said["instructions"]),
            backwards={
                int(_text(number)): reader.backward(one)
                for number, one in _dict(said["backwards"]).items()
            },
            answer=meaning(said["answer"]),
        )
    except BadProgram:
        raise
    except (
        KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise BadProgram(f"a recording that can't be read: {error!r:.200}") from error


class _Reader:
    """Reads instructions, and counts them."""

    def __init__(self) -> None:
        self._count = 0

    def instructions(self, said: Json) -> tuple[Instruction, ...]:
        return tuple(self._instruction(one) for one in _list(said))

    def _instruction(self, said: Json) -> Instruction:
        self._count += 1
        if self._count > INSTRUCTIONS_MOST:
            raise BadProgram(f"a recording of more than {INSTRUCTIONS_MOST:,} instructions")
        kind = said["do"]
        if kind == "function":
            return self._function(said)
        if kind == "earlier":
            return Earlier(self.instructions(said["instructions"]))
        read = _SIMPLE.get(kind)
        if read is None:
            raise BadProgram(f"a recording with an instruction {kind!r:.40}")
        return read(said)

    def _function(self, said: Json) -> Function:
        return Function(
            number=_whole(said["number"]),
            inputs=tuple(None if one is None else meaning(one) for one in _list(said["inputs"])),
            instructions=self.instructions(said["instructions"]),
            outputs=tuple(None if one is None else _output(one) for one in _list(said["outputs"])),
            single=said["single"] is True,
        )

    def backward(self, said: Json) -> Backward:
        return Backward(
            gradients=_windows(said["gradients"]),
            instructions=self.instructions(said["instructions"]),
            outputs=_windows(said["outputs"]),
        )


def _output(said: Json) -> Output:
    value, given = said["value"], said["given"]
    return Output(
        value=_maybe(value),
        window=window(said["window"]),
        differentiable=said["differentiable"] is True,
        given=_maybe(given),
    )


def _windows(said: Json) -> tuple[Window | None, ...]:
    return tuple(None if one is None else window(one) for one in _list(said))


def window(said: Json) -> Window:
    storage, dtype, shape, strides, offset = _list(said)
    if dtype not in DTYPES:
        raise BadProgram(f"a recording with a tensor of type {dtype!r:.40}")
    sizes, steps = _wholes(shape), _wholes(strides)
    if len(sizes) != len(steps):
        raise BadProgram("a recording with a tensor whose strides don't fit its shape")
    return Window(_maybe(storage), dtype, sizes, steps, _whole(offset))


def _kernel(said: Json) -> Kernel:
    names = {_text(name): meaning(one) for name, one in _dict(said["names"]).items()}
    return Kernel(_text(said["name"]), _whole(said["line"]), names)


def meaning(said: Json) -> Meaning:
    """Read a value: a JSON object of one pair, its kind and what it is."""
    ((kind, inner),) = _dict(said).items()
    read = _MEANINGS.get(kind)
    if read is None:
        raise BadProgram(f"a recording with a value of kind {kind!r:.40}")
    return Meaning(kind, read(inner))


def _plain(said: Json) -> Json:
    if said is None or isinstance(said, bool):
        return said
    if isinstance(said, str):
        return _text(said)
    return _number(said)


def _library(said: Json) -> tuple[str, str]:
    module, path = _list(said)
    return _text(module), _text(path)


def _address(said: Json) -> Address:
    storage, offset = _list(said)
    return Address(_whole(storage), _whole(offset))


def _descriptor(said: Json) -> Descriptor:
    return Descriptor(
        base=window(said["base"]),
        shape=_wholes(said["shape"]),
        strides=_wholes(said["strides"]),
        block=_wholes(said["block"]),
        padding=_text(said["padding"]),
    )


def _reinterpreted(said: Json) -> tuple[Window, str]:
    base, kind = _list(said)
    return window(base), _text(kind)


def _meanings(said: Json) -> tuple[Meaning, ...]:
    return tuple(meaning(one) for one in _list(said))


def _named(said: Json) -> dict[str, Meaning]:
    return {_text(name): meaning(one) for name, one in _dict(said).items()}


def _address_at(said: Json) -> tuple[int, Address]:
    place, storage, offset = _list(said)
    return _whole(place), Address(_whole(storage), _whole(offset))


def _result(said: Json) -> Result:
    value = said["value"]
    return Result(_maybe(value), window(said["window"]))


_MEANINGS: dict[str, Callable[[Json], Any]] = {
    "plain": _plain,
    "float": lambda said: float.fromhex(_text(said)),
    "complex": lambda said: complex(*(float.fromhex(_text(part)) for part in _list(said))),
    "address": _address,
    "window": window,
    "value": lambda said: _whole(said),
    "constexpr": meaning,
    "triton type": lambda said: _text(said),
    "torch type": lambda said: _dtype(said),
    "memory format": lambda said: _text(said),
    "layout": lambda said: _text(said),
    "device": lambda said: _text(said),
    "tuple": _meanings,
    "list": _meanings,
    "dict": _named,
    "kernel": lambda said: _text(said),
    "read": lambda said: _whole(said),
    "library": _library,
    "descriptor": _descriptor,
    "reinterpreted": _reinterpreted,
    "unknown": lambda said: _text(said),
}

_SIMPLE: dict[str, Callable[[Json], Instruction]] = {
    "allocate": lambda said: Allocate(_whole(said["storage"]), _whole(said["bytes"])),
    "constant": lambda said: Constant(
        _whole(said["storage"]), _whole(said["blob"]), tuple(map(_address_at, said["addresses"]))
    ),
    "fill": lambda said: Fill(window(said["target"]), meaning(said["value"])),
    "copy": lambda said: Copy(window(said["target"]), window(said["source"])),
    "poison": lambda said: Poison(window(said["target"])),
    "launch": lambda said: Launch(
        _text(said["kernel"]), _grid(said["grid"]),
        _meanings(said["arguments"]), _named(said["options"]),
    ),
    "read": lambda said: Read(_whole(said["number"]), window(said["source"])),
    "stream": lambda said: UseStream(_whole(said["stream"])),
    "record": lambda said: RecordEvent(_whole(said["event"]), _whole(said["stream"])),
    "wait": lambda said: WaitEvent(_whole(said["event"]), _whole(said["stream"])),
    "synchronize": lambda said: Synchronize(_maybe(said["event"]), _maybe(said["stream"])),
    "operation": lambda said: Operation(
        _text(said["name"]), _meanings(said["arguments"]), _named(said["named"]),
        tuple(map(_result, _list(said["results"]))),
    ),
}  # fmt: skip


def _grid(said: Json) -> tuple[int, ...]:
    grid = _wholes(said)
    if not 1 <= len(grid) <= 3:
        raise BadProgram("a recording with a grid that does not have one to three sizes")
    return grid


def _dtype(said: Json) -> str:
    if said not in DTYPES:
        raise BadProgram(f"a recording that names a type {said!r:.40}")
    return str(said)


def _wholes(said: Json) -> tuple[int, ...]:
    if len(_list(said)) > DIMENSIONS_MOST:
        raise BadProgram("a recording with a tensor of too many dimensions")
    return tuple(map(_whole, said))


def _whole(said: Json) -> int:
    """Return a whole number that is not negative: torch has no negative sizes or strides."""
    if type(said) is not int or not 0 <= said < NUMBER_MOST:
        raise BadProgram(f"a recording with {said!r:.40} where a whole number is expected")
    return said


def _maybe(said: Json) -> int | None:
    return None if said is None else _whole(said)


def _number(said: Json) -> int:
    if type(said) is not int or not -NUMBER_MOST <= said < 2 * NUMBER_MOST:
        raise BadProgram(f"a recording with {said!r:.40} where a number is expected")
    return said


def _text(said: Json) -> str:
    if not isinstance(said, str) or len(said) > NAME_MOST:
        raise BadProgram(f"a recording with {said!r:.40} where a name is expected")
    return said


def _list(said: Json) -> Sequence[Json]:
    if not isinstance(said, list):
        raise BadProgram(f"a recording with {said!r:.40} where a list is expected")
    return said


def _dict(said: Json) -> dict[str, Json]:
    if not isinstance(said, dict):
        raise BadProgram(f"a recording with {said!r:.40} where an object is expected")
    return said
