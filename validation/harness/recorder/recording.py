"""Recording of one call of a launcher on decoys."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from validation.harness.recorder.graph import Graph
from validation.harness.recorder.recorded_values import PLAIN_TENSORS, KernelTable, Values
from validation.harness.recorder.storages import KeptMemory, Storages, storages_in
from validation.harness.recorder.streams import RecordedStreams
from validation.harness.torch_operations import (
    COPIES,
    FILLED,
    FILLED_WITH,
    NOT_IN_GRAPH,
    UNFILLED,
    VIEWS,
    WITHOUT_DATA,
    base_name,
    can_play,
)
from validation.harness.worker.values import tensors_in

Json = Any
# Maximum number of elements of a read. A launcher may read a table of lengths, but no data.
READ_MOST = 4096
# Integer that fills results which can't be replayed. Floats become NaN.
POISON = 0x5B


class NeedsRead(BaseException):
    """The launcher reads a tensor's content, which only a replay on the true inputs can compute.

    `program` ends before the read, with that tensor as its answer.
    """

    def __init__(self, program: Json) -> None:
        super().__init__("the launcher reads data")
        self.program = program


class RecordingSession:
    """State shared by the recordings of one launcher.

    passes: whether calls run on true inputs, so that kernels are launched and reads need no replay.
    """

    def __init__(self, *, passes: bool = False) -> None:
        self.passes = passes
        self.numbers = itertools.count()
        self.memory = KeptMemory()
        self.kernels = KernelTable()


class Recording:
    """Recorder of one call. `problems` counts actions that a replay can't repeat, by name.

    known: answers to the launcher's first reads, in order.
    """

    def __init__(
        self,
        session: RecordingSession,
        inputs: Sequence[torch.Tensor],
        known: Sequence[list[Any]] = (),
    ) -> None:
        self.problems: Counter[str] = Counter()
        self.instructions: list[Json] = []
        self._session, self.passes = session, session.passes
        self.storages = Storages(self.emit, session.numbers, session.memory)
        self.values = Values(self.storages, session.kernels, self.problems)
        self.graph = Graph(self)
        self.streams = RecordedStreams()
        self._reads = 0
        self._known = known
        self.inner: list[list[Json]] = []
        """The instructions of autograd functions and backward passes that have not returned."""
        self._inputs = [self._input(tensor) for tensor in inputs]

    def _input(self, tensor: torch.Tensor) -> int | None:
        if not tensor.numel():
            return None
        place = self.storages.find(tensor)
        number = self.storages.add(tensor) if place is None else place[0]
        self.storages.mark_data(tensor)
        return number

    def emit(self, **instruction: Json) -> None:
        if self.graph.is_engines_own():
            return
        instructions = self.inner[-1] if self.inner else self.instructions
        if (stream := self.streams.changed()) is not None:
            use = {"do": "stream", "action": "use", "event": None, "stream": stream}
            instructions.append(use)
        instructions.append(instruction)

    def as_json(self, answer: Json) -> Json:
        """Return the program so far, with the content of its constants inside."""
        return {
            "inputs": self._inputs,
            "kernels": self._session.kernels.descriptions,
            "instructions": self.all_instructions(),
            "backwards": self.graph.backwards,
            "answer": answer,
        }

    def all_instructions(self) -> list[Json]:
        """Return the instructions, including those of functions that have not returned."""
        return [*self.instructions, *(one for inner in self.inner for one in inner)]

    def close(self) -> None:
        """End the call, and remember the storages that the launcher may still hold."""
        inputs = {number for number in self._inputs if number is not None}
        self._session.memory.remember(self.storages.release(), self.all_instructions(), inputs)

    def operation(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Run a torch operation on the decoys, and record it if the replay needs it."""
        if self.graph.is_engines_own():
            return func(*args, **kwargs)
        name, given = base_name(func._schema.name), tensors_in((args, kwargs))
        if not given or name in WITHOUT_DATA:
            return self._made_without_data(name, func, args, kwargs)
        if func.is_view or name in VIEWS or torch.Tag.inplace_view in func.tags:
            if name in NOT_IN_GRAPH or not self.graph.reaches(given):
                return func(*args, **kwargs)
            return self._recorded(func, args, kwargs)
        if name == "_local_scalar_dense":
            return self.read(given[0])[0] if self._depend_on_data(given) else func(*args)
        if not self._depend_on_data(given):
            return self._on_constants(name, func, args, kwargs)
        if self.graph.reaches(given):
            return self._recorded(func, args, kwargs)
        if name in COPIES:
            return self._copied(func, args, kwargs, given[0])
        if self._write_in_place(name, args, given):
            return func(*args, **kwargs)
        return self._recorded(func, args, kwargs)

    def _depend_on_data(self, tensors: Iterable[torch.Tensor]) -> bool:
        return any(map(self.storages.holds_data, tensors))

    def _made_without_data(self, name: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        result = func(*args, **kwargs)
        if not isinstance(result, torch.Tensor) or result.layout is not torch.strided:
            return result
        value = args[FILLED_WITH[name]] if name in FILLED_WITH else FILLED.get(name)
        if name in UNFILLED or value is not None:
            self.storages.allocate(result)
        if value is not None:
            self._fill(result, value)
        # The result of any other operation, such as `arange`, becomes a constant on use.
        return result

    def _on_constants(self, name: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Run an operation that does not depend on inputs, so its results are constants."""
        written = [one for one in written_by(func, args, kwargs) if one.numel()]
        known = [tensor for tensor in written if self.storages.find(tensor) is not None]
        if known and self._write_in_place(name, args, tensors_in((args, kwargs))):
            return func(*args, **kwargs)
        result = func(*args, **kwargs)
        for tensor in known:
            self.storages.snapshot(tensor)
        return result

    def _copied(self, func: Any, args: Any, kwargs: Any, source: torch.Tensor) -> Any:
        if kwargs.get("device") is not None and kwargs["device"].type != source.device.type:
            return self._to_host(func, args, kwargs, source)
        if changes_value(source.dtype, kwargs.get("dtype") or source.dtype):
            return self._recorded(func, args, kwargs)
        result = func(*args, **kwargs)
        if result.untyped_storage().data_ptr() != source.untyped_storage().data_ptr():
            self.storages.allocate(result)
            self._copy(target=result, source=source)
        return result

    def _to_host(self, func: Any, args: Any, kwargs: Any, source: torch.Tensor) -> Any:
        """Copy from the GPU to the host. Copying a small integer tensor counts as a read."""
        result = func(*args, **kwargs)
        if result.is_cuda or source.is_floating_point() or source.numel() > READ_MOST:
            self.problems[f"{func} from {source.device.type} to {result.device.type}"] += 1
            return result
        values = torch.tensor(self.read(source), dtype=result.dtype)
        return result.copy_(values.reshape(result.shape)) if result.numel() else result

    def _write_in_place(self, name: str, args: Any, given: list[torch.Tensor]) -> bool:
        """Record a fill or copy in place. Return False for any other operation."""
        if name in ("zero_", "fill_") and len(given) == 1:
            self._fill(given[0], 0 if name == "zero_" else args[1])
            return True
        if name != "copy_":
            return False
        target, source = given[0], given[-1]
        if changes_value(source.dtype, target.dtype) and self._depend_on_data(given):
            return False
        self._copy(target=target, source=source)
        return True

    def _copy(self, *, target: torch.Tensor, source: torch.Tensor) -> None:
        if not target.numel():
            return
        wide = source if source.shape == target.shape else source.expand(target.shape)
        windows = {"target": self.storages.window(target), "source": self.storages.window(wide)}
        self.emit(do="copy", **windows)
        if self.storages.holds_data(source):
            self.storages.mark_data(target)

    def _fill(self, target: torch.Tensor, value: Any) -> None:
        if target.numel():
            encoded = self.values.encode(value)
            self.emit(do="fill", target=self.storages.window(target), value=encoded)

    def _recorded(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Record an operation on data. If no replay can repeat it, record its results as poison."""
        playable = can_play(func._schema.name) and func.namespace == "aten"
        if not playable:
            self.problems[str(func)] += 1
            result = func(*args, **kwargs)
            for tensor in (*written_by(func, args, kwargs), *tensors_in(result)):
                self._poison(tensor)
            return result
        encode, reference = self.values.encode, self.graph.reference
        arguments = [encode(value, reference) for value in args]
        named = {key: encode(value, reference) for key, value in kwargs.items()}
        joins = self.graph.reaches(tensors_in((args, kwargs)))
        result = func(*args, **kwargs)
        results = [self.graph.result(tensor, joins=joins) for tensor in tensors_in(result)]
        self.emit(
            do="operation", name=f"{func._schema.name}.{func._overloadname}",
            arguments=arguments, named=named, results=results,
        )  # fmt: skip
        for tensor in (*written_by(func, args, kwargs), *tensors_in(result)):
            self.storages.mark_data(tensor)
        return result

    def _poison(self, tensor: torch.Tensor) -> None:
        if not tensor.numel():
            return
        if self.storages.find(tensor) is None:
            self.storages.allocate(tensor)
        has_nan = tensor.is_floating_point() or tensor.is_complex()
        self._fill(tensor, math.nan if has_nan else tensor.dtype is torch.bool or POISON)
        self.storages.mark_data(tensor)

    def read(self, tensor: torch.Tensor) -> list[Any]:
        """Return the tensor's content from a replay, or end this recording to request it."""
        number = self._reads
        self._reads += 1
        if self.passes:
            return list(tensor.detach().reshape(-1).tolist())
        window = self.storages.window(tensor)
        if number < len(self._known):
            self.emit(do="read", number=number, source=window)
            return self._known[number]
        raise NeedsRead(self.as_json({"window": window}))

    def launch(
        self, kernel: Any, bound: dict[str, Any], grid: Any, options: dict[str, Any]
    ) -> None:
        """Record a kernel's launch, without running it."""
        arguments = [self.values.encode(value) for value in bound.values()]
        self.emit(
            do="launch", kernel=self.values.kernels.key(kernel), grid=grid, arguments=arguments,
            options={name: self.values.encode(value) for name, value in options.items()},
        )  # fmt: skip
        self.storages.data |= storages_in(arguments)

    def answer(self, value: Any) -> Json:
        """Return the launcher's answer as JSON."""
        return self.values.encode(value, self._part_of_answer)

    def _part_of_answer(self, value: Any) -> Json | None:
        if type(value) in (bool, int, float) and [value] in self._known:
            return {"read": list(self._known).index([value])}
        if isinstance(value, torch.Tensor) and type(value) not in PLAIN_TENSORS:
            return self.values.refuse(value)
        return self.graph.reference(value)


def changes_value(source: torch.dtype, target: torch.dtype) -> bool:
    """Return whether a type conversion is more than rounding or widening."""
    if source == target or (target.is_floating_point and not source.is_complex):
        return False
    if target.is_complex:
        return False
    if source.is_floating_point or source.is_complex or target is torch.bool:
        return True
    return source is not torch.bool and target.itemsize < source.itemsize


def written_by(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """Return the tensors that the operation writes to, by its schema."""
    written: list[torch.Tensor] = []
    for place, parameter in enumerate(func._schema.arguments):
        if parameter.alias_info is not None and parameter.alias_info.is_write:
            given = args[place] if place < len(args) else kwargs.get(parameter.name)
            written += tensors_in(given)
    return written
