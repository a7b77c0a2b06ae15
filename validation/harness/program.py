"""The program that a recorder hands over: what a launcher did, as data.

The recorder runs the entry's code and is not trusted. A forged recording is another program of the
same language: it can only allocate, copy, launch the entry's own kernels and ask for the torch
operations that are listed here. Reading checks the form of each instruction; what it refers to is
checked where it is played.

A *window* is a typed view of a storage, so that views need no instructions. Storages are numbered
by the recorder. Constants' bytes travel beside the JSON, as blobs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Window:
    """A tensor: `storage` is None where it has no elements. `offset` counts elements."""

    storage: int | None
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Meaning:
    """A value: a kernel's argument, or what a name in a kernel stands for.

    `kind`: plain, float, address, window, constexpr, triton type, torch type, tuple, kernel, read,
    library, descriptor, reinterpreted, unknown.
    """

    kind: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Address:
    """A place `offset` bytes into a storage."""

    storage: int
    offset: int


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A tensor descriptor that the host made."""

    base: Window
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block: tuple[int, ...]
    padding: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function of the text, by its name and first line, and what the names in it stand for."""

    name: str
    line: int
    names: Mapping[str, Meaning]


@dataclass(frozen=True, slots=True)
class Allocate:
    storage: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A storage with content that no input went into. `addresses`: at these bytes, 8 each, stand
    addresses of other storages."""

    storage: int
    blob: int
    addresses: tuple[tuple[int, Address], ...]


@dataclass(frozen=True, slots=True)
class Fill:
    target: Window
    value: Meaning


@dataclass(frozen=True, slots=True)
class Copy:
    target: Window
    source: Window


@dataclass(frozen=True, slots=True)
class Poison:
    """Here the launcher computed something that can't be played."""

    target: Window


@dataclass(frozen=True, slots=True)
class Launch:
    """`arguments`: one for each of the kernel's parameters, defaults included."""

    kernel: str
    grid: tuple[int, ...]
    arguments: tuple[Meaning, ...]
    options: Mapping[str, Meaning]


@dataclass(frozen=True, slots=True)
class Read:
    """The launcher reads what a tensor holds. An answer may hand it back, by this number."""

    number: int
    source: Window


@dataclass(frozen=True, slots=True)
class UseStream:
    """The following instructions run on this CUDA stream. 0 is the caller's."""

    stream: int


@dataclass(frozen=True, slots=True)
class RecordEvent:
    event: int
    stream: int


@dataclass(frozen=True, slots=True)
class WaitEvent:
    """The stream waits for the event."""

    event: int
    stream: int


@dataclass(frozen=True, slots=True)
class Synchronize:
    """The host waits for an event, a stream, or, where both are None, for the whole GPU."""

    event: int | None
    stream: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """A tensor that an operation returns: the value of the graph that it becomes, if gradients
    are asked for, and its window."""

    value: int | None
    window: Window


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of torch's, by its name and overload. `arguments` may hold windows, and values
    of the graph."""

    name: str
    arguments: tuple[Meaning, ...]
    named: Mapping[str, Meaning]
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """One call of a `torch.autograd.Function`. An output that is an input written in place says
    which one in `given`."""

    number: int
    inputs: tuple[Meaning | None, ...]
    instructions: tuple["Instruction", ...]
    outputs: tuple["Output | None", ...]
    single: bool


@dataclass(frozen=True, slots=True)
class Output:
    value: int | None
    window: Window
    differentiable: bool
    given: int | None


@dataclass(frozen=True, slots=True)
class Backward:
    """The backward pass of a `Function`."""

    gradients: tuple[Window | None, ...]
    instructions: tuple["Instruction", ...]
    outputs: tuple[Window | None, ...]


@dataclass(frozen=True, slots=True)
class Earlier:
    """Instructions of earlier calls that filled memory which the launcher kept."""

    instructions: tuple["Instruction", ...]


Instruction = (
    Allocate | Constant | Fill | Copy | Poison | Launch | Operation | Function | Earlier
    | Read | UseStream | RecordEvent | WaitEvent | Synchronize
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """`inputs`: the storage of each tensor among the arguments. `answer`: a tree of values."""

    inputs: tuple[int | None, ...]
    kernels: Mapping[str, Kernel]
    instructions: tuple[Instruction, ...]
    backwards: Mapping[int, Backward] = field(default_factory=dict)
    answer: Meaning = Meaning("plain")

    def every_instruction(self) -> list[Instruction]:
        """Return the instructions of the call, those within functions and backward passes included.
        Those of earlier calls are not."""
        found: list[Instruction] = []
        waiting: list[Instruction] = [*self.instructions]
        waiting += [one for backward in self.backwards.values() for one in backward.instructions]
        while waiting:
            instruction = waiting.pop()
            found.append(instruction)
            if isinstance(instruction, Function):
                waiting += instruction.instructions
        return found


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
