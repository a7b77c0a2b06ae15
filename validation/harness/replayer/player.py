"""Play a program on true inputs, in a process that runs no line of the launcher."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import triton

from validation.harness.pool.channel import Blob
from validation.harness.program import (
    Allocate,
    AutogradCall,
    Constant,
    Copy,
    Earlier,
    Fill,
    Instruction,
    Launch,
    Meaning,
    Program,
    Read,
    StreamAction,
    TensorView,
    TorchCall,
)
from validation.harness.program_reader import read
from validation.harness.replayer.functions import play_function
from validation.harness.replayer.kernel_syntax import UnsupportedKernel
from validation.harness.replayer.streams import ReplayedStreams
from validation.harness.replayer.text_kernels import TextKernels, value_of, values_of_views
from validation.harness.torch_operations import COMPUTES, COPIES, base_name, can_play
from validation.harness.worker.values import from_bytes, name_of, tensors_in

Memory = Callable[[int], torch.Tensor]
"""Function that allocates a number of bytes, as a tensor of uint8 with its own storage."""

Watch = Callable[[list[tuple[int, int]]], AbstractContextManager[None]]
"""Function from the (start, end) addresses that a launch may access to a context for it."""


class Mismatch(Exception):
    """A program refers to an object that does not exist, such as an unknown storage."""


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A program with its kernels and the content of its constants."""

    program: Program
    kernels: TextKernels
    constants: Sequence[Blob]


class Player:
    """One replay of a program. It counts launches, operations and bytes.

    inputs: the tensors among the arguments.
    idle: whether launches do nothing.
    slow: whether to delay streams other than the caller's.
    """

    def __init__(
        self, prepared: PreparedProgram, inputs: Sequence[torch.Tensor], device: torch.device,
        memory: Memory, watch: Watch, *, idle: bool = False, slow: bool = False,
    ) -> None:  # fmt: skip
        self.program, self._kernels = prepared.program, prepared.kernels
        self._constants, self.inputs, self._device = prepared.constants, inputs, device
        self._memory, self._watch, self._idle = memory, watch, idle
        self.launches: Counter[str] = Counter()
        self.computed: Counter[str] = Counter()
        """Number of elements that torch operations computed, by the operation's name."""
        self.bytes: Counter[str] = Counter()
        """Number of bytes that kernels access, by name; torch's bytes have the empty name."""
        self.rearranged = 0
        """Number of bytes that torch copies into another layout."""
        self.values: dict[int, torch.Tensor] = {}
        """The tensors of the gradient graph by number."""
        self._reads: dict[int, Any] = {}
        self._special: dict[str, Callable[[Any], Any]] = {
            **values_of_views(self.window),
            "value": lambda it: _known(self.values, it, "uses a tensor before it is made"),
            "read": lambda it: _known(self._reads, it, "returns a number that it did not read"),
            "address": lambda it: self._address(it.storage, it.offset),
            "kernel": self._kernels.__getitem__,
            "device": lambda _: device,
        }
        self._storages: dict[int, torch.Tensor] = {}
        self._dtypes: dict[int, str] = {}
        """The dtype of each storage's first use."""
        self._streams = ReplayedStreams(slow=slow) if device.type == "cuda" else None
        if len(inputs) != len(self.program.inputs):
            raise Mismatch("the recording has other inputs")
        for tensor, number in zip(inputs, self.program.inputs, strict=True):
            if number is not None:
                self.bind(number, tensor)
        self.values.update(enumerate(tensor for tensor in inputs if tensor.requires_grad))

    def run(self) -> Any:
        """Play the program and return the launcher's answer."""
        try:
            self.play(self.program.instructions)
        finally:
            if self._streams:
                self._streams.go_home()
        return self.value(self.program.answer)

    def play(self, instructions: Iterable[Instruction]) -> None:
        for instruction in instructions:
            _PLAYS[type(instruction)](self, instruction)

    def bind(self, number: int, tensor: torch.Tensor) -> None:
        """Assign the tensor's storage to this storage number."""
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device)
        self._storages[number] = whole.set_(tensor.untyped_storage())
        self._dtypes.setdefault(number, name_of(tensor.dtype))

    def _storage(self, number: int) -> torch.Tensor:
        if number not in self._storages:
            raise Mismatch("the recording uses memory that it did not ask for")
        return self._storages[number]

    def window(self, window: TensorView) -> torch.Tensor:
        dtype = getattr(torch, window.dtype)
        if window.storage is None:
            if 0 not in window.shape:
                raise Mismatch("a tensor without memory")
            return torch.empty_strided(
                window.shape, window.strides, dtype=dtype, device=self._device
            )
        whole = self._storage(window.storage)
        if 0 not in window.shape and (window.last + 1) * dtype.itemsize > whole.numel():
            raise Mismatch("a tensor beyond the end of its memory")
        empty = torch.empty(0, dtype=dtype, device=whole.device)
        return empty.set_(whole.untyped_storage(), window.offset, window.shape, window.strides)

    def _address(self, storage: int, offset: int) -> int:
        return self._storage(storage).data_ptr() + offset

    def value(self, meaning: Meaning) -> Any:
        """Return the value of an argument or an answer."""
        return value_of(meaning, self._special)

    def _allocate(self, instruction: Allocate) -> None:
        self._storages[instruction.storage] = self._memory(instruction.bytes)
        self._dtypes.pop(instruction.storage, None)

    def _constant(self, instruction: Constant) -> None:
        if instruction.blob >= len(self._constants):
            raise Mismatch("a constant without content")
        content = bytearray(self._constants[instruction.blob])
        for place, storage, offset in instruction.addresses:
            if place + 8 > len(content):
                raise Mismatch("an address beyond the end of its table")
            content[place : place + 8] = self._address(storage, offset).to_bytes(8, "little")
        known = self._storages.get(instruction.storage)
        if known is None or known.numel() != len(content):
            known = self._storages[instruction.storage] = self._memory(len(content))
        known.copy_(from_bytes(content, torch.uint8, (len(content),)))

    def _fill(self, instruction: Fill) -> None:
        value = self.value(instruction.value)
        if not isinstance(value, bool | int | float | complex):
            raise UnsupportedKernel("a fill with a value that is not a number")
        self.window(instruction.target).fill_(value)

    def _copy(self, instruction: Copy) -> None:
        source, target = self.window(instruction.source), self.window(instruction.target)
        if source.dtype != target.dtype:
            first = self._first_dtype(instruction.source)
            if first != instruction.source.dtype:
                self._note(f"a change of type of the bits of {first}", target)
            if not target.is_floating_point():
                self._note("_to_copy", target)
        self._note_layout(source, target)
        target.copy_(source)

    def _first_dtype(self, window: TensorView) -> str:
        if window.storage is None:
            return window.dtype
        return self._dtypes.get(window.storage, window.dtype)

    def _read(self, instruction: Read) -> None:
        source = self.window(instruction.source)
        if source.numel() == 1:
            self._reads[instruction.number] = source.item()

    def _launch(self, instruction: Launch) -> None:
        kernel = self._kernels[instruction.kernel]
        for argument in instruction.arguments:
            if argument.kind == "window" and argument.value.storage is not None:
                self._dtypes.setdefault(argument.value.storage, argument.value.dtype)
        arguments = list(map(self.value, instruction.arguments))
        if any(one.kind not in ("plain", "float") for one in instruction.options.values()):
            raise UnsupportedKernel("an option of a launch that is not a plain value")
        options = {name: one.value for name, one in instruction.options.items()}
        name = self.program.kernels[instruction.kernel].name
        self.launches[name] += 1
        self.bytes[name] += sum(tensor.nbytes for tensor in tensors_in(arguments))
        if self._idle:
            return
        if self._streams:
            self._streams.before_launch()
        extents = [
            (bytes_.data_ptr(), bytes_.data_ptr() + bytes_.numel())
            for bytes_ in self._storages.values()
        ]
        with self._watch(extents):
            kernel[instruction.grid](*arguments, **options)

    def _operation(self, instruction: TorchCall) -> None:
        if not can_play(instruction.name):
            raise UnsupportedKernel(f"{instruction.name} is not played")
        packet, _, overload = instruction.name.partition("::")[2].partition(".")
        operation = getattr(getattr(torch.ops.aten, packet), overload)
        given = [self.value(one) for one in instruction.arguments]
        named = {name: self.value(one) for name, one in instruction.named.items()}
        results = tensors_in(operation(*given, **named))
        if len(results) != len(instruction.results):
            raise Mismatch(f"{instruction.name} gives another number of tensors")
        for tensor, result in zip(results, instruction.results, strict=True):
            if tuple(tensor.shape) != result.window.shape:
                raise Mismatch(f"{instruction.name} gives a tensor of another shape")
            if result.value is not None:
                self.values[result.value] = tensor
            if result.window.storage is not None:
                self.bind(result.window.storage, tensor)
        self._note_operation(base_name(instruction.name), tensors_in((given, named)), results)

    def _note_operation(
        self, name: str, given: list[torch.Tensor], results: list[torch.Tensor]
    ) -> None:
        if name in ("_to_copy", "copy_"):
            target, source = (results or given)[0], given[-1]
            computes = source.dtype != target.dtype and not target.is_floating_point()
        else:
            computes = name in COMPUTES
        if computes:
            self._note(name, *given, *results)
        elif name in COPIES and results:
            self._note_layout(given[0], results[0])

    def _note(self, name: str, *tensors: torch.Tensor) -> None:
        self.computed[name] += max((tensor.numel() for tensor in tensors), default=0)
        self.bytes[""] += sum(tensor.nbytes for tensor in tensors)

    def _note_layout(self, source: torch.Tensor, target: torch.Tensor) -> None:
        """Record whether a copy between tensors of one shape reorders elements in memory."""
        steps = zip(source.shape, source.stride(), target.stride(), strict=True)
        if any(size > 1 and before != after for size, before, after in steps):
            self.rearranged += source.nbytes + target.nbytes

    def _earlier(self, instruction: Earlier) -> None:
        """Play instructions of earlier calls. Their launches don't count for this call."""
        launches, computed = self.launches, self.computed
        self.launches, self.computed = Counter(), Counter()
        self.play(instruction.instructions)
        self.launches, self.computed = launches, computed

    def _function(self, instruction: AutogradCall) -> None:
        play_function(self, instruction)

    def _stream(self, instruction: StreamAction) -> None:
        if self._streams:
            self._streams.play(instruction)


def _known(values: Mapping[int, Any], number: int, words: str) -> Any:
    if number not in values:
        raise Mismatch(f"the recording {words}")
    return values[number]


_PLAYS: dict[type, Callable[[Player, Any], None]] = {
    Allocate: Player._allocate,
    Constant: Player._constant,
    Fill: Player._fill,
    Copy: Player._copy,
    Read: Player._read,
    Launch: Player._launch,
    TorchCall: Player._operation,
    Earlier: Player._earlier,
    AutogradCall: Player._function,
    StreamAction: Player._stream,
}


class TextPrograms:
    """Programs of one text. Each is parsed when it is first used.

    order, blobs: the results of `recordings.play_order`; `order` also has the text `triton_code`.
    """

    def __init__(
        self, order: Mapping[str, Any], blobs: Sequence[Blob], device: torch.device
    ) -> None:
        self._order, self._blobs, self._device = order, blobs, device
        self._prepared: dict[int, PreparedProgram] = {}
        if device.type == "cuda" and hasattr(triton, "set_allocator"):
            # Kernels with tensor descriptors need a workspace from the host.
            triton.set_allocator(
                lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device)
            )

    def of(self, run: Mapping[str, Any]) -> PreparedProgram:
        """Return the program of a requested run."""
        number = run["program"]
        if number not in self._prepared:
            given = self._order["programs"][number]
            program = read(given["program"])
            kernels = TextKernels(self._order["triton_code"], program.kernels)
            self._prepared[number] = PreparedProgram(
                program, kernels, self._blobs[given["constants"] :]
            )
        return self._prepared[number]

    def call(self, run: Mapping[str, Any], inputs: Sequence[torch.Tensor]) -> Callable[[], Any]:
        """Return a function that plays a run's program on inputs, in torch's own memory."""
        prepared = self.of(run)
        return lambda: Player(
            prepared, inputs, self._device, self._memory, lambda _: nullcontext()
        ).run()

    def _memory(self, size: int) -> torch.Tensor:
        return torch.empty(size, dtype=torch.uint8, device=self._device)
