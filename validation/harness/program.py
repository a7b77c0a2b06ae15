"""Types of the recorded program: the calls of a launcher as data.

The recorder runs the entry's code and is not trusted. A forged recording is only another program of
this language: it can allocate, copy, launch the entry's own kernels and request torch operations
from an allowlist. `program_reader` checks a program against the types below. The player checks that
the storages, kernels and operations of an instruction exist.

The recorder numbers storages. A window is a typed view of a storage, so views need no instructions.
The bytes of constants are in blobs next to the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Annotated, Any

Dtype = Annotated[str, "the name of a torch dtype"]
Sizes = Annotated[tuple[int, ...], "one number for each dimension"]
Scalar = Annotated[int | str | bool | None, "a plain value"]


@dataclass(frozen=True, slots=True)
class TensorView:
    """A typed view of a storage. `storage`: its number, or None for a tensor without elements.
    `offset`: the first element's position in the storage, counted in elements."""

    storage: int | None
    dtype: Dtype
    shape: Sizes
    strides: Sizes
    offset: int

    @property
    def last(self) -> int:
        """Offset of the last element in the storage, in elements."""
        steps = zip(self.shape, self.strides, strict=True)
        return self.offset + sum((size - 1) * stride for size, stride in steps)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A value: an argument, an answer, or the value of a name that a kernel uses. See KINDS."""

    kind: str
    value: Any = None

    def windows(self) -> Iterator[TensorView]:
        """Yield the windows in this value, also in nested values."""
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
    """Arguments of a tensor descriptor that the host created."""

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
    """A kernel of `triton_code`, by name and first line, with the values of names that it uses."""

    name: str
    line: int
    names: Mapping[str, Meaning]


@dataclass(frozen=True, slots=True)
class Allocate:
    storage: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A storage whose content does not depend on inputs.

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
class Launch:
    """Launch of a kernel, with one argument for each parameter, including defaults."""

    kernel: str
    grid: Sizes
    arguments: tuple[Meaning, ...]
    options: Mapping[str, Meaning]


@dataclass(frozen=True, slots=True)
class Read:
    """A read of a tensor's content by the launcher. An answer may refer to it by its number."""

    number: int
    source: TensorView


@dataclass(frozen=True, slots=True)
class StreamAction:
    """Action on CUDA streams and events. Stream 0 is the caller's stream.

    use: make the stream current for the following instructions.
    record: record the event on the stream.
    wait: make the stream wait for the event.
    synchronize: make the host wait for the event, the stream, or the GPU if both are None.
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
    """Call of a torch operation by name and overload, such as `aten::sum.dim_IntList`."""

    name: str
    arguments: tuple[Meaning, ...]
    named: Mapping[str, Meaning]
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class AutogradCall:
    """Call of a `torch.autograd.Function`. `single`: it returns a tensor, not a tuple."""

    number: int
    inputs: tuple[Meaning | None, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[Output | None, ...]
    single: bool


@dataclass(frozen=True, slots=True)
class Output:
    """An output of an `AutogradCall`. `given`: index of the input that is returned, or None."""

    value: int | None
    window: TensorView
    differentiable: bool
    given: int | None


@dataclass(frozen=True, slots=True)
class Backward:
    """Backward pass of an `AutogradCall`."""

    gradients: tuple[TensorView | None, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[TensorView | None, ...]


@dataclass(frozen=True, slots=True)
class Earlier:
    """Instructions of earlier calls that wrote to memory which the launcher still holds."""

    instructions: tuple[Instruction, ...]


Instruction = (
    Allocate | Constant | Fill | Copy | Launch | TorchCall | AutogradCall | Earlier | Read
    | StreamAction
)  # fmt: skip
INSTRUCTIONS: Mapping[str, type[Instruction]] = {
    "allocate": Allocate, "constant": Constant, "fill": Fill, "copy": Copy,
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
        """Return the instructions of the call, its autograd functions and their backward passes.

        Instructions of earlier calls are left out.
        """
        bodies = [self.instructions, *(each.instructions for each in self.backwards.values())]
        return [instruction for body in bodies for instruction in in_order(body)]


def in_order(
    instructions: Iterable[Instruction], *, earlier: bool = False
) -> Iterator[Instruction]:
    """Yield the instructions in the order of a replay, with those of autograd functions. If
    `earlier` is true, those of earlier calls are included."""
    for instruction in instructions:
        if isinstance(instruction, AutogradCall) or (earlier and isinstance(instruction, Earlier)):
            yield from in_order(instruction.instructions, earlier=earlier)
        yield instruction


def storages(part: Any) -> set[int]:
    """Return the storages that an instruction or a value refers to.

    A tensor of the gradient graph is included as a negative number.
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
