"""The recorded program: the calls of a launcher as data.

The recorder runs the entry's code and is not trusted. A forged recording is only another program of
this language: it can allocate, copy, launch the entry's own kernels and ask for torch operations of
a list. `program_reader` checks the form of a program, against the types below. The player checks
the storages, kernels and operations that an instruction names.

The recorder numbers storages. A window is a typed view of a storage, so views need no instructions.
The bytes of constants travel beside the JSON, as blobs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Annotated, Any

Dtype = Annotated[str, "the name of a torch dtype"]
Sizes = Annotated[tuple[int, ...], "one number for each dimension"]
Scalar = Annotated[int | str | bool | None, "a plain value"]


@dataclass(frozen=True, slots=True)
class TensorView:
    """A tensor. `storage` is None if it has no elements. `offset` counts elements."""

    storage: int | None
    dtype: Dtype
    shape: Sizes
    strides: Sizes
    offset: int

    @property
    def last(self) -> int:
        """The place of the last element."""
        steps = zip(self.shape, self.strides, strict=True)
        return self.offset + sum((size - 1) * stride for size, stride in steps)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A value: an argument, an answer, or the value of a name in a kernel. See KINDS."""

    kind: str
    value: Any = None

    def windows(self) -> Iterator[TensorView]:
        """Yield the windows in this value and in the parts of it."""
        if self.kind == "window":
            yield self.value
        elif self.kind in ("tuple", "list", "dict"):
            parts = [part for _, part in self.value] if self.kind == "dict" else self.value
            for part in parts:
                yield from part.windows()


@dataclass(frozen=True, slots=True)
class Address:
    """The memory `offset` bytes after the start of a storage."""

    storage: int
    offset: int


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A tensor descriptor that the host made."""

    base: TensorView
    shape: Sizes
    strides: Sizes
    block: Sizes
    padding: str


# The type of `Meaning.value` for each kind. `value` is the number of a tensor of the gradient
# graph, `read` the number of a `Read`, `library` a module and a dotted name in it.
KINDS: Mapping[str, Any] = {
    "plain": Scalar, "float": float, "complex": complex, "address": Address, "window": TensorView,
    "value": int, "constexpr": Meaning, "triton type": str, "torch type": Dtype,
    "memory format": str, "layout": str, "device": str, "tuple": tuple[Meaning, ...],
    "list": tuple[Meaning, ...], "dict": tuple[tuple[Scalar, Meaning], ...], "kernel": str,
    "read": int, "library": tuple[str, str], "descriptor": Descriptor,
    "reinterpreted": tuple[TensorView, str], "unknown": str,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProgramKernel:
    """A function of the text by name and first line, with the values of the names in it."""

    name: str
    line: int
    names: Mapping[str, Meaning]


@dataclass(frozen=True, slots=True)
class Allocate:
    storage: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A storage with content that does not depend on inputs.

    addresses: (offset in the content, storage, offset in that storage) of each 8-byte address.
    """

    storage: int
    blob: int
    addresses: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Fill:
    target: TensorView
    value: Meaning


@dataclass(frozen=True, slots=True)
class Copy:
    target: TensorView
    source: TensorView


@dataclass(frozen=True, slots=True)
class Poison:
    """The result of an operation that can't be replayed."""

    target: TensorView


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel's launch, with one argument for each parameter, defaults included."""

    kernel: str
    grid: Sizes
    arguments: tuple[Meaning, ...]
    options: Mapping[str, Meaning]


@dataclass(frozen=True, slots=True)
class Read:
    """The launcher reads a tensor's content. An answer may return it, by this number."""

    number: int
    source: TensorView


@dataclass(frozen=True, slots=True)
class StreamAction:
    """An action on CUDA streams and events. Stream 0 is the caller's.

    use: the following instructions run on the stream.
    record: the stream records the event.
    wait: the stream waits for the event.
    synchronize: the host waits for the event, the stream, or for the GPU if both are None.
    """

    action: str
    event: int | None
    stream: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """A tensor that an operation returns. `value`: its number in the gradient graph."""

    value: int | None
    window: TensorView


@dataclass(frozen=True, slots=True)
class TorchCall:
    """A torch operation by name and overload, such as `aten::sum.dim_IntList`."""

    name: str
    arguments: tuple[Meaning, ...]
    named: Mapping[str, Meaning]
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class AutogradCall:
    """A call of a `torch.autograd.Function`. `single`: it returns a tensor, not a tuple."""

    number: int
    inputs: tuple[Meaning | None, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[Output | None, ...]
    single: bool


@dataclass(frozen=True, slots=True)
class Output:
    """An output of an `AutogradCall`. `given`: the input, if it is one written in place."""

    value: int | None
    window: TensorView
    differentiable: bool
    given: int | None


@dataclass(frozen=True, slots=True)
class Backward:
    """The backward pass of an `AutogradCall`."""

    gradients: tuple[TensorView | None, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[TensorView | None, ...]


@dataclass(frozen=True, slots=True)
class Earlier:
    """Instructions of earlier calls that filled memory which the launcher kept."""

    instructions: tuple[Instruction, ...]


Instruction = (
    Allocate | Constant | Fill | Copy | Poison | Launch | TorchCall | AutogradCall
    | Earlier | Read | StreamAction
)  # fmt: skip
INSTRUCTIONS: Mapping[str, type[Instruction]] = {
    "allocate": Allocate, "constant": Constant, "fill": Fill, "copy": Copy, "poison": Poison,
    "launch": Launch, "operation": TorchCall, "function": AutogradCall, "earlier": Earlier,
    "read": Read, "stream": StreamAction,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """One call of a launcher. `inputs`: the storage of each tensor among the arguments."""

    inputs: tuple[int | None, ...]
    kernels: Mapping[str, ProgramKernel]
    instructions: tuple[Instruction, ...]
    backwards: Mapping[int, Backward] = field(default_factory=dict)
    answer: Meaning = Meaning("plain")

    def every_instruction(self) -> list[Instruction]:
        """Return the instructions of the call, of its functions and of their backward passes.

        Instructions of earlier calls are left out.
        """
        instructions: list[Instruction] = []
        waiting: list[Instruction] = [*self.instructions]
        waiting += [one for backward in self.backwards.values() for one in backward.instructions]
        while waiting:
            instruction = waiting.pop()
            instructions.append(instruction)
            if isinstance(instruction, AutogradCall):
                waiting += instruction.instructions
        return instructions


def storages(part: Any) -> set[int]:
    """Return the storages that an instruction or a value names.

    A tensor of the gradient graph stands there by its number, below zero.
    """
    if isinstance(part, TensorView | Address | Allocate | Constant):
        more = {other for _, other, _ in part.addresses} if isinstance(part, Constant) else set()
        return more if part.storage is None else {part.storage, *more}
    if isinstance(part, Meaning) and part.kind == "value":
        return {-1 - part.value}
    if isinstance(part, Mapping):
        return storages(tuple(part.values()))
    if isinstance(part, tuple):
        return set[int]().union(*map(storages, part))
    if not is_dataclass(part):
        return set()
    number = getattr(part, "value", None) if isinstance(part, Result | Output) else None
    graph = set() if number is None else {-1 - number}
    return graph.union(*(storages(getattr(part, each.name)) for each in fields(part)))
