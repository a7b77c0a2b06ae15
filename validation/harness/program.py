"""The program that a recorder hands over: what a launcher did, as data.

The recorder runs the entry's code and is not trusted. A forged recording is another program of the
same language: it can only allocate, copy, launch the entry's own kernels and ask for torch
operations of a list. `program_reader` checks the form of each instruction; what it refers to is
checked where it is played.

A *window* is a typed view of a storage, so that views need no instructions. Storages are numbered
by the recorder. Constants' bytes travel beside the JSON, as blobs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
