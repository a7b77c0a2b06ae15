"""One call of a launcher on decoys, as a program."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from validation.harness.inside.values import tensors_in
from validation.harness.recorder.graph import Graph
from validation.harness.recorder.kept_memory import KeptMemory
from validation.harness.recorder.storages import Storages
from validation.harness.recorder.streams import Streams
from validation.harness.recorder.values import PLAIN_TENSORS, KernelTable, Values
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

Json = Any
# A launcher may ask for a table of lengths, not for a tensor's worth of numbers.
READ_MOST = 4096


class NeedsRead(BaseException):
    """The launcher asks what a tensor holds: only a replay on the true inputs knows. `program` ends
    with that tensor as its answer."""

    def __init__(self, program: Json) -> None:
        super().__init__("the launcher reads data")
        self.program = program


class Session:
    """State that the recordings of one launcher share. `passes`: its calls really run, on true
    inputs, so kernels are launched and reading needs no replay."""

    def __init__(self, *, passes: bool = False) -> None:
        self.passes = passes
        self.numbers = itertools.count()
        self.memory = KeptMemory()
        self.kernels = KernelTable()


class Recording:
    """`known`: the answers to what this launcher reads, in order, as far as they are known.

    `problems` counts what a replay can't do, by name.
    """

    def __init__(
        self, session: Session, inputs: Sequence[torch.Tensor], known: Sequence[list[Any]] = ()
    ) -> None:
        self.problems: Counter[str] = Counter()
        self.instructions: list[Json] = []
        self._session, self.passes = session, session.passes
        self.storages = Storages(self.emit, session.numbers, session.memory)
        self.values = Values(self.storages, session.kernels, self.problems)
        self.graph = Graph(self)
        self.streams = Streams()
        self.reads = 0
        self._known = known
        self._inner: list[list[Json]] = []
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
        instructions = self._inner[-1] if self._inner else self.instructions
        if (stream := self.streams.changed()) is not None:
            instructions.append({"do": "stream", "stream": stream})
        instructions.append(instruction)

    def begin_inner(self) -> None:
        """Begin the instructions of an autograd function or of its backward pass."""
        self._inner.append([])

    def end_inner(self) -> list[Json]:
        return self._inner.pop()

    @property
    def is_inner(self) -> bool:
        return bool(self._inner)

    def as_json(self, answer: Json) -> Json:
        """Return the program so far. Its constants' content is within."""
        return {
            "inputs": self._inputs,
            "kernels": self._session.kernels.descriptions,
            "instructions": self.instructions,
            "backwards": self.graph.backwards,
            "answer": answer,
        }

    def everything(self) -> list[Json]:
        """Return the instructions, also those of a function that an exception ended."""
        return [*self.instructions, *(one for inner in self._inner for one in inner)]

    def close(self) -> None:
        """The call is over: what it allocated may be gone, or be kept by the launcher."""
        inputs = frozenset(number for number in self._inputs if number is not None)
        self._session.memory.remember(self.storages.release(), self.instructions, inputs)

    # Operations of torch. `run` does them, on the decoys.

    def operation(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Do an operation of torch's, and record it if it matters to a replay."""
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
            return self._read_number(func, given[0])
        if not any(map(self.storages.holds_data, given)):
            return self._on_constants(name, func, args, kwargs)
        if self.graph.reaches(given):
            return self._recorded(func, args, kwargs)
        if name in COPIES:
            return self._copied(func, args, kwargs, given[0])
        if name == "copy_" and not changes_value(given[-1].dtype, given[0].dtype):
            self._copy(target=given[0], source=given[-1])
            return func(*args, **kwargs)
        if name in ("zero_", "fill_") and len(given) == 1:
            self._fill(given[0], 0 if name == "zero_" else args[1])
            return func(*args, **kwargs)
        return self._recorded(func, args, kwargs)

    def _made_without_data(self, name: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        made = func(*args, **kwargs)
        if not isinstance(made, torch.Tensor) or made.layout is not torch.strided:
            return made
        value: Any = None
        if name in FILLED:
            value = FILLED[name]
        elif name in FILLED_WITH:
            value = args[FILLED_WITH[name]]
        if name in UNFILLED or value is not None:
            self.storages.allocate(made)
        if value is not None:
            self._fill(made, value)
        # Any other, such as `arange`, is a constant once it is used.
        return made

    def _on_constants(self, name: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """No input had a part in it: whatever it gives is a constant, also in memory that a replay
        knows already."""
        made = func(*args, **kwargs)
        for tensor in written_by(func, args, kwargs):
            if not tensor.numel() or self.storages.find(tensor) is None:
                continue
            if name == "zero_":
                self._fill(tensor, 0)
            elif name == "fill_" and not isinstance(args[1], torch.Tensor):
                self._fill(tensor, args[1])
            elif name == "copy_" and self.storages.find(args[1]) is not None:
                self._copy(target=tensor, source=args[1])
            else:
                self.storages.snapshot(tensor)
        return made

    def _copied(self, func: Any, args: Any, kwargs: Any, source: torch.Tensor) -> Any:
        if kwargs.get("device") is not None and kwargs["device"].type != source.device.type:
            return self._to_host(func, args, kwargs, source)
        if changes_value(source.dtype, kwargs.get("dtype") or source.dtype):
            return self._recorded(func, args, kwargs)
        made = func(*args, **kwargs)
        if made.untyped_storage().data_ptr() != source.untyped_storage().data_ptr():
            self.storages.allocate(made)
            self._copy(target=made, source=source)
        return made

    def _to_host(self, func: Any, args: Any, kwargs: Any, source: torch.Tensor) -> Any:
        """A copy from the GPU to the host is a reading, if it is small and of whole numbers."""
        made = func(*args, **kwargs)
        if made.is_cuda or source.is_floating_point() or source.numel() > READ_MOST:
            self.problems[f"{func} from {source.device.type} to {made.device.type}"] += 1
            return made
        values = torch.tensor(self.read(source), dtype=made.dtype)
        return made.copy_(values.reshape(made.shape)) if made.numel() else made

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
            written = self.values.argument(value)
            self.emit(do="fill", target=self.storages.window(target), value=written)

    def _recorded(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Record an operation on data as one, if it can be played; its result is poisoned else."""
        written = written_by(func, args, kwargs)
        playable = can_play(func._schema.name) and func.namespace == "aten"
        if playable:
            encoded = {
                "name": f"{func._schema.name}.{func._overloadname}",
                "arguments": [self.graph.argument(value) for value in args],
                "named": {key: self.graph.argument(value) for key, value in kwargs.items()},
            }
        else:
            self.problems[str(func)] += 1
        made = func(*args, **kwargs)
        results = tensors_in(made)
        if playable:
            joins = self.graph.reaches(tensors_in((args, kwargs)))
            encoded["results"] = [self.graph.result(one, joins=joins) for one in results]
            self.emit(do="operation", **encoded)
        for tensor in (*written, *results):
            if tensor.numel():
                if not playable:
                    self._poison(tensor)
                self.storages.mark_data(tensor)
        return made

    def _poison(self, tensor: torch.Tensor) -> None:
        if self.storages.find(tensor) is None:
            self.storages.allocate(tensor)
        self.emit(do="poison", target=self.storages.window(tensor))

    def _read_number(self, func: Any, tensor: torch.Tensor) -> Any:
        if not self.storages.holds_data(tensor):
            return func(tensor)
        return self.read(tensor)[0]

    def read(self, tensor: torch.Tensor) -> list[Any]:
        """Return what the tensor holds in the replay, or end this recording to have it asked."""
        self.reads += 1
        if self.passes:
            return list(tensor.detach().reshape(-1).tolist())
        window = self.storages.window(tensor)
        if self.reads <= len(self._known):
            self.emit(do="read", number=self.reads - 1, source=window)
            return self._known[self.reads - 1]
        answer = {"window": window}
        # The instructions of a function under way come after those before it.
        self.instructions = self.everything()
        raise NeedsRead(self.as_json(answer))

    def launch(
        self, kernel: Any, bound: dict[str, Any], grid: Any, options: dict[str, Any]
    ) -> None:
        """Record a kernel's launch. It is not done."""
        arguments = [self.values.argument(value) for value in bound.values()]
        self.emit(
            do="launch",
            kernel=self.values.kernels.key(kernel),
            grid=grid,
            arguments=arguments,
            options={name: self.values.argument(value) for name, value in options.items()},
        )
        for tensor in pointed_to(bound.values()):
            self.storages.mark_data(tensor)

    def answer(self, value: Any) -> Json:
        """Return what the launcher hands back, as data."""
        if isinstance(value, torch.Tensor) and type(value) in PLAIN_TENSORS:
            return self.graph.argument(value)
        if isinstance(value, tuple | list):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.answer(part) for part in value]}
        if isinstance(value, dict) and all(type(key) is str for key in value):
            return {"dict": {key: self.answer(part) for key, part in value.items()}}
        if type(value) in (bool, int, float) and [value] in self._known:
            return {"read": list(self._known).index([value])}
        if value is None or type(value) in (bool, int, str):
            return {"plain": value}
        if type(value) is float:
            return {"float": value.hex()}
        self.problems[f"an answer of kind {type(value).__name__}"] += 1
        return {"plain": None}


def changes_value(source: torch.dtype, target: torch.dtype) -> bool:
    """Return whether a change of type computes: it is more than rounding or widening."""
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


def pointed_to(values: Iterable[Any]) -> list[torch.Tensor]:
    """Return the tensors among a kernel's arguments, also under descriptors."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, tuple | list):
            found += pointed_to(value)
        elif isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(getattr(value, "base", None), torch.Tensor):
            found.append(value.base)
    return found
