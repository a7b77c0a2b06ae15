"""Plays a program on true data, in a process that never runs a line of the launcher."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
import triton

from validation.harness.channel import Blob
from validation.harness.inside.values import from_bytes, tensors_in
from validation.harness.program import (
    Allocate,
    Constant,
    Copy,
    Descriptor,
    Earlier,
    Fill,
    Function,
    Instruction,
    Launch,
    Meaning,
    Operation,
    Poison,
    Program,
    Read,
    RecordEvent,
    Synchronize,
    UseStream,
    WaitEvent,
    Window,
)
from validation.harness.replayer.functions import replayed
from validation.harness.replayer.kernel_syntax import Refused
from validation.harness.replayer.kernels import Kernels, triton_type
from validation.harness.replayer.streams import Streams
from validation.harness.torch_operations import COMPUTES, base_name, can_play

Memory = Callable[[int], torch.Tensor]
"""Gives so many bytes of fresh memory, as a tensor of uint8 with a storage of its own."""

Watched = Callable[[list[tuple[int, int]]], AbstractContextManager[None]]
"""A context for one launch, with the starts and ends of the memory that it may touch."""

POISON = 0x5B


class Mismatch(Exception):
    """A program refers to what is not there, such as a tensor beyond the end of its storage."""


class Player:
    """`inputs`: the tensors among the arguments. `idle`: launches do nothing."""

    def __init__(
        self, program: Program, kernels: Kernels, blobs: Sequence[Blob],
        inputs: Sequence[torch.Tensor], device: torch.device, memory: Memory, watched: Watched, *,
        idle: bool = False, slow: bool = False,
    ) -> None:  # fmt: skip
        self.program, self.kernels, self.device = program, kernels, device
        self.idle, self.inputs = idle, inputs
        self.launches: Counter[str] = Counter()
        self.computed: Counter[str] = Counter()
        """Elements that torch's operations computed, by the operation's name."""
        self.bytes_of_kernels = self.bytes_of_torch = 0
        self.values: dict[int, torch.Tensor] = {}
        self._read_numbers: dict[int, Any] = {}
        self._blobs, self._memory, self._watched = blobs, memory, watched
        self._streams = Streams(device, slow=slow)
        self._storages: dict[int, torch.Tensor] = {}
        self._types: dict[int, str] = {}
        if len(inputs) != len(program.inputs):
            raise Mismatch("the recording has other inputs")
        for tensor, number in zip(inputs, program.inputs, strict=True):
            if number is not None:
                self.bind(number, tensor)
        leaves = [tensor for tensor in inputs if tensor.requires_grad]
        self.values.update(enumerate(leaves))

    def run(self) -> Any:
        """Play the whole program and return the launcher's answer."""
        try:
            self.play(self.program.instructions)
        finally:
            self._streams.go_home()
        return self.value(self.program.answer)

    def play(self, instructions: Iterable[Instruction]) -> None:
        for instruction in instructions:
            _PLAYS[type(instruction)](self, instruction)

    def _extents(self) -> list[tuple[int, int]]:
        """Return where the memory lies that kernels may touch."""
        return [
            (bytes_.data_ptr(), bytes_.data_ptr() + bytes_.numel())
            for bytes_ in self._storages.values()
        ]

    def bind(self, number: int, tensor: torch.Tensor) -> None:
        """Let the tensor's storage be storage `number`."""
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device)
        self._storages[number] = whole.set_(tensor.untyped_storage())
        self._types.setdefault(number, str(tensor.dtype).removeprefix("torch."))

    def storage(self, number: int) -> torch.Tensor:
        if number not in self._storages:
            raise Mismatch("the recording uses memory that it did not ask for")
        return self._storages[number]

    def window(self, window: Window) -> torch.Tensor:
        dtype = getattr(torch, window.dtype)
        if window.storage is None:
            if 0 not in window.shape:
                raise Mismatch("a tensor without memory")
            return torch.empty_strided(
                window.shape, window.strides, dtype=dtype, device=self.device
            )
        whole = self.storage(window.storage)
        steps = zip(window.shape, window.strides, strict=True)
        last = window.offset + sum((size - 1) * stride for size, stride in steps)
        if 0 not in window.shape and (last + 1) * dtype.itemsize > whole.numel():
            raise Mismatch("a tensor beyond the end of its memory")
        start = whole.storage_offset() + window.offset
        empty = torch.empty(0, dtype=dtype, device=whole.device)
        return empty.set_(whole.untyped_storage(), start, window.shape, window.strides)

    def address(self, storage: int, offset: int) -> int:
        return self.storage(storage).data_ptr() + offset

    # values

    def value(self, meaning: Meaning) -> Any:
        given = meaning.value
        match meaning.kind:
            case "plain" | "float" | "complex":
                return given
            case "window":
                return self.window(given)
            case "value":
                return self._of_graph(given)
            case "read":
                if given not in self._read_numbers:
                    raise Mismatch("the recording hands back what it did not read")
                return self._read_numbers[given]
            case "address":
                return self.address(given.storage, given.offset)
            case "tuple":
                return tuple(map(self.value, given))
            case "list":
                return list(map(self.value, given))
            case "dict":
                return {name: self.value(part) for name, part in given.items()}
            case "constexpr":
                return self.value(given)
            case "triton type":
                return triton_type(given)
            case "torch type":
                return getattr(torch, given)
            case "kernel":
                return self.kernels[given]
            case "descriptor":
                return self._descriptor(given)
            case "reinterpreted":
                return triton.reinterpret(self.window(given[0]), triton_type(given[1]))
            case "memory format" | "layout":
                return _of_torch(given)
            case "device":
                return self.device
        raise Refused(f"a value of kind {meaning.kind} is no argument")

    def _of_graph(self, number: int) -> torch.Tensor:
        if number not in self.values:
            raise Mismatch("the recording uses a tensor before it is made")
        return self.values[number]

    def _descriptor(self, given: Descriptor) -> Any:
        from triton.tools.tensor_descriptor import TensorDescriptor

        base = self.window(given.base)
        parts = [list(part) for part in (given.shape, given.strides, given.block)]
        padding = {} if given.padding == "zero" else {"padding": given.padding}
        return TensorDescriptor(base, *parts, **padding)

    # instructions

    def _allocate(self, instruction: Allocate) -> None:
        self._storages[instruction.storage] = self._memory(instruction.bytes)
        self._types.pop(instruction.storage, None)

    def _constant(self, instruction: Constant) -> None:
        if instruction.blob >= len(self._blobs):
            raise Mismatch("a constant without content")
        content = bytearray(self._blobs[instruction.blob])
        for place, address in instruction.addresses:
            if place + 8 > len(content):
                raise Mismatch("an address beyond the end of its table")
            moved = self.address(address.storage, address.offset)
            content[place : place + 8] = moved.to_bytes(8, "little")
        made = from_bytes(content, torch.uint8, (len(content),)).to(self.device)
        known = self._storages.get(instruction.storage)
        if known is not None and known.numel() == made.numel():
            known.copy_(made)
            return
        self._storages[instruction.storage] = self._memory(len(content))
        self._storages[instruction.storage].copy_(made)

    def _fill(self, instruction: Fill) -> None:
        value = self.value(instruction.value)
        if not isinstance(value, bool | int | float | complex):
            raise Refused("a fill with what is no number")
        self.window(instruction.target).fill_(value)

    def _copy(self, instruction: Copy) -> None:
        source, target = instruction.source, instruction.target
        known = source.dtype if source.storage is None else self._types.get(source.storage)
        if known not in (None, source.dtype) and source.dtype != target.dtype:
            self._note(f"a change of type of the bits of {known}", self.window(target))
        made = self.window(source)
        written = self.window(target)
        if made.dtype != written.dtype and not written.is_floating_point():
            self._note("_to_copy", written)
        written.copy_(made)

    def _poison(self, instruction: Poison) -> None:
        target = self.window(instruction.target)
        if target.is_floating_point() or target.is_complex():
            target.fill_(float("nan"))
        else:
            target.fill_(True if target.dtype is torch.bool else POISON)

    def _read(self, instruction: Read) -> None:
        source = self.window(instruction.source)
        if source.numel() == 1:
            self._read_numbers[instruction.number] = source.item()

    def _launch(self, instruction: Launch) -> None:
        kernel = self.kernels[instruction.kernel]
        self.launches[self.program.kernels[instruction.kernel].name] += 1
        arguments = [self._argument(one) for one in instruction.arguments]
        options = {name: self._option(one) for name, one in instruction.options.items()}
        self.bytes_of_kernels += sum(one.nbytes for one in tensors_in(arguments))
        if not self.idle:
            self._streams.launching()
            with self._watched(self._extents()):
                kernel[instruction.grid](*arguments, **options)

    def _argument(self, meaning: Meaning) -> Any:
        if meaning.kind == "window" and meaning.value.storage is not None:
            self._types.setdefault(meaning.value.storage, meaning.value.dtype)
        return self.value(meaning)

    def _option(self, meaning: Meaning) -> Any:
        if meaning.kind not in ("plain", "float"):
            raise Refused("an option of a launch that is no plain value")
        return meaning.value

    def _operation(self, instruction: Operation) -> None:
        if not can_play(instruction.name):
            raise Refused(f"{instruction.name} is not played")
        packet, _, overload = instruction.name.partition("::")[2].partition(".")
        operation = getattr(getattr(torch.ops.aten, packet), overload)
        given = [self.value(one) for one in instruction.arguments]
        named = {name: self.value(one) for name, one in instruction.named.items()}
        made = tensors_in(operation(*given, **named))
        if len(made) != len(instruction.results):
            raise Mismatch(f"{instruction.name} gives another number of tensors")
        for tensor, result in zip(made, instruction.results, strict=True):
            if tuple(tensor.shape) != result.window.shape:
                raise Mismatch(f"{instruction.name} gives a tensor of another shape")
            if result.value is not None:
                self.values[result.value] = tensor
            if result.window.storage is not None:
                self.bind(result.window.storage, tensor)
        self._note_computing(instruction.name, given, named, made)

    def _note_computing(
        self, name: str, given: list[Any], named: Mapping[str, Any], made: list[torch.Tensor]
    ) -> None:
        base = base_name(name)
        tensors = tensors_in((given, dict(named)))
        if base in ("_to_copy", "copy_"):
            target, source = (made or tensors)[0], tensors[-1]
            if source.dtype == target.dtype or target.is_floating_point():
                return
        elif base not in COMPUTES:
            return
        self._note(base, *tensors, *made)

    def _note(self, name: str, *tensors: torch.Tensor) -> None:
        self.computed[name] += max((tensor.numel() for tensor in tensors), default=0)
        self.bytes_of_torch += sum(tensor.nbytes for tensor in tensors)

    def _earlier(self, instruction: Earlier) -> None:
        """Play the program of earlier calls. Its launches don't count as this call's."""
        launches, computed = self.launches, self.computed
        self.launches, self.computed = Counter(), Counter()
        self.play(instruction.instructions)
        self.launches, self.computed = launches, computed

    def _function(self, instruction: Function) -> None:
        replayed(self, instruction)


def give_memory_to_kernels(device: torch.device) -> None:
    """Give kernels with tensor descriptors the workspace that Triton asks its host for."""
    if device.type == "cuda" and hasattr(triton, "set_allocator"):
        triton.set_allocator(
            lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device)
        )


def _of_torch(name: str) -> Any:
    value = getattr(torch, name, None)
    if not isinstance(value, torch.memory_format | torch.layout):
        raise Refused(f"{name[:40]} is no memory format")
    return value


_PLAYS: dict[type, Callable[[Player, Any], None]] = {
    Allocate: Player._allocate,
    Constant: Player._constant,
    Fill: Player._fill,
    Copy: Player._copy,
    Poison: Player._poison,
    Read: Player._read,
    Launch: Player._launch,
    Operation: Player._operation,
    Earlier: Player._earlier,
    Function: Player._function,
    UseStream: lambda player, instruction: player._streams.use(instruction),
    RecordEvent: lambda player, instruction: player._streams.record(instruction),
    WaitEvent: lambda player, instruction: player._streams.wait(instruction),
    Synchronize: lambda player, instruction: player._streams.synchronize(instruction),
}
