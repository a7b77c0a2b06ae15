"""The process that plays recordings on the true inputs. `triton_code` is a text here."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from triton.runtime import interpreter

from validation.harness.channel import Blob
from validation.harness.inside import gpu
from validation.harness.inside.complaint import described
from validation.harness.inside.extents import ACCESSES as WAYS
from validation.harness.inside.extents import Access as Way
from validation.harness.inside.extents import Extents as Reach
from validation.harness.inside.gradients import gradients
from validation.harness.inside.guards import ABSURD, NAN, Guarded, guarded, trespasses
from validation.harness.inside.values import Packing, from_bytes, rebuilt, tensors_in, unpack
from validation.harness.program import (
    Allocate,
    Constant,
    Earlier,
    Launch,
    Operation,
    Program,
)
from validation.harness.program_reader import read
from validation.harness.replayer.kernels import Kernels
from validation.harness.replayer.playing import Player, give_memory_to_kernels

# The patterns that fill fresh memory: two, since a kernel may write one of them itself.
PATTERNS = {"first": NAN, "second": ABSURD, "idle": ABSURD}
STRAYS_MOST = 5
# The first runs whose inputs come late.
LATE = 6
# A program, its kernels, and the first of its constants among the blobs.
Prepared = tuple[Program, Kernels, int]


class OutOfBounds(Exception):
    """A kernel in the interpreter touches memory that is no tensor's."""


class Replayer:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self.device = torch.device(order["device"])
        self.gradients, self.seed = order["gradients"], order["seed"]
        self._text, self._late = order["triton_code"], 0
        give_memory_to_kernels(self.device)
        self._programs: dict[int, Prepared] = {}
        self.bounds = Bounds() if self.device.type == "cpu" else None

    def comes_late(self, mode: str) -> bool:
        """Return whether the inputs of this run come after a delay. Seldom, as it takes time."""
        self._late += mode == "second"
        return self.device.type == "cuda" and mode == "second" and self._late <= LATE

    def answers(self, order: dict[str, Any], blobs: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer to all trials of the order, in the order's order."""
        packing, runs = Packing(), []
        self._programs = {}
        for trial in order["trials"]:
            for mode in trial["modes"]:
                said = self._run(order["programs"], trial, blobs, mode, packing)
                runs.append({"trial": trial["number"], "mode": mode, **said})
        return {"runs": runs}, packing.blobs

    def numbers(self, order: dict[str, Any], blobs: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer with the numbers that a launcher reads: its program ends with their tensor."""
        self._programs = {}
        try:
            run = Run(self, self._program(order["programs"], 0), order["arguments"], blobs, "first")
            numbers = run.answer().reshape(-1).tolist()
            return {"numbers": [_exact(number) for number in numbers]}, []
        except Exception as error:  # noqa: BLE001 - a kernel raises what it likes
            return {"error": described(error)}, []

    def _program(self, programs: Sequence[Any], number: int) -> Prepared:
        if number not in self._programs:
            program = read(programs[number]["program"])
            kernels = Kernels(self._text, program.kernels)
            self._programs[number] = program, kernels, programs[number]["constants"]
        return self._programs[number]

    def _run(
        self, programs: Sequence[Any], trial: dict[str, Any], blobs: list[memoryview], mode: str,
        packing: Packing,
    ) -> dict[str, Any]:  # fmt: skip
        started = time.perf_counter()
        try:
            program = self._program(programs, trial["recordings"][mode])
            run = Run(self, program, trial["arguments"], blobs, mode)
        except Exception as error:  # noqa: BLE001 - a kernel raises what it likes
            return {"error": described(error)}
        said = run.made(packing, trial["written"])
        return {**said, "seconds": time.perf_counter() - started}


class Run:
    """One playing of a program, on inputs and in memory of its own."""

    def __init__(
        self, owner: Replayer, program: Prepared, tree: Any, blobs: list[memoryview], mode: str
    ) -> None:
        self._owner, self._blobs = owner, blobs
        self._mode, self._pattern = mode, PATTERNS[mode]
        self._inputs: dict[int, Guarded] = {}
        self._views: dict[int, list[Any]] = {}
        self._guards: list[Guarded] = []
        arguments = unpack(tree, self._input)
        self._clear_gaps()
        if owner.gradients:
            arguments = rebuilt(arguments, _leaf)
        self._arguments = arguments
        self._program, kernels, constants = program
        watched = owner.bounds.held if owner.bounds else _unwatched
        self._player = Player(
            self._program, kernels, blobs[constants:], tensors_in(arguments), owner.device,
            self._memory, watched, idle=mode == "idle", slow=mode == "second",
        )  # fmt: skip

    def _input(self, tree: Any) -> torch.Tensor:
        place, blob = tree["storage"], self._blobs[tree["storage"]]
        if place not in self._inputs:
            name = f"input {len(self._inputs)}"
            memory = guarded(len(blob), self._owner.device, self._pattern, name)
            memory.inner.copy_(from_bytes(blob, torch.uint8, (len(blob),)), non_blocking=True)
            self._inputs[place] = memory
        self._views.setdefault(place, []).append(tree)
        return self._viewed(place, tree)

    def _viewed(self, place: int, tree: Any) -> torch.Tensor:
        dtype, shape = getattr(torch, tree["dtype"]), tree["shape"]
        return self._inputs[place].as_tensor(dtype, shape, tree["stride"], tree["offset"])

    def _memory(self, size: int) -> torch.Tensor:
        name = f"a tensor of its own of {size:,} bytes"
        memory = guarded(size, self._owner.device, self._pattern, name)
        self._guards.append(memory)
        return memory.inner

    def _clear_gaps(self) -> None:
        """Poison what lies between the elements of a strided input: no answer may depend on it."""
        for place, trees in self._views.items():
            inner = self._inputs[place].inner
            width = getattr(torch, trees[0]["dtype"]).itemsize
            if any(getattr(torch, tree["dtype"]).itemsize != width for tree in trees):
                continue
            used = torch.zeros(inner.numel() // width, dtype=torch.bool)
            for tree in trees:
                used.as_strided(tree["shape"], tree["stride"], tree["offset"]).fill_(True)
            if not used.all():
                gaps = ~used.repeat_interleave(width).to(inner.device)
                inner[: len(gaps)][gaps] = self._pattern

    def answer(self) -> Any:
        return self._player.run()

    def made(self, packing: Packing, written: Sequence[int]) -> dict[str, Any]:
        """Return what came of it. `written`: the tensors among the arguments that the reference
        writes to: their content is a part of the answer."""
        before = {place: memory.inner.clone() for place, memory in self._inputs.items()}
        if self._owner.comes_late(self._mode):
            self._arrive_late()
        try:
            answer = self.answer()
            found = (
                gradients(self._arguments, answer, self._owner.seed)
                if self._owner.gradients
                else []
            )
            said: dict[str, Any] = {
                "answer": {
                    "value": packing.plain(answer),
                    "written": [packing.tensor(self._player.inputs[place]) for place in written],
                    "gradients": [None if one is None else packing.tensor(one) for one in found],
                    "aliases": [self._is_input(tensor) for tensor in tensors_in(answer)],
                }
            }
        except Exception as error:  # noqa: BLE001 - a kernel raises what it likes
            said = {"error": described(error)}
        strays = self._owner.bounds.strays() if self._owner.bounds else []
        strays += trespasses((*self._inputs.values(), *self._guards))
        return {
            **said,
            "launches": dict(self._player.launches),
            "computed": dict(self._player.computed),
            "bytes": {
                "torch": self._player.bytes_of_torch,
                "kernels": self._player.bytes_of_kernels,
            },
            "mutated": self._changed(before),
            "trespass": strays[:STRAYS_MOST],
            "again": _hands_out_kept_memory(self._program),
        }

    def _arrive_late(self) -> None:
        """The inputs come after a delay: a kernel on a stream that does not wait misses them."""
        truths = [(memory.inner, memory.inner.clone()) for memory in self._inputs.values()]
        for inner, _ in truths:
            inner.fill_(self._pattern)
        gpu.delay()
        for inner, truth in truths:
            inner.copy_(truth)

    def _is_input(self, tensor: torch.Tensor) -> bool:
        place = tensor.untyped_storage().data_ptr()
        return place != 0 and any(
            place == memory.inner.untyped_storage().data_ptr() for memory in self._inputs.values()
        )

    def _changed(self, before: dict[int, torch.Tensor]) -> list[int]:
        """Return the inputs that are no longer what they were. The GPU is waited for once."""
        if not before:
            return []
        differ = [(self._inputs[place].inner != was).any() for place, was in before.items()]
        found = torch.stack(differ).tolist()
        return [place for place, is_other in zip(before, found, strict=True) if is_other]


def _exact(number: Any) -> Any:
    return number.hex() if isinstance(number, float) else number


def _unwatched(_: Any) -> AbstractContextManager[None]:
    return nullcontext()


def _leaf(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().requires_grad_(tensor.is_floating_point())


def _hands_out_kept_memory(program: Program) -> bool:
    """Return whether an output lies in memory that the launcher kept from an earlier call: the next
    call writes over what this one handed out."""
    every = program.every_instruction()
    own: set[int | None] = {one.storage for one in every if isinstance(one, Allocate)}
    own |= {
        result.window.storage
        for one in every
        if isinstance(one, Operation)
        for result in one.results
    }
    kept = {one.storage for one in every if isinstance(one, Constant)} - own
    kept |= {
        one.storage
        for earlier in every
        if isinstance(earlier, Earlier)
        for one in earlier.instructions
        if isinstance(one, Allocate | Constant)
    }
    written = {
        argument.value.storage
        for one in every
        if isinstance(one, Launch)
        for argument in one.arguments
        if argument.kind == "window"
    }
    return any(storage in kept & written for storage in _handed_out(program.answer))


def _handed_out(answer: Any) -> Iterator[int | None]:
    if answer.kind == "window":
        yield answer.value.storage
    elif answer.kind in ("tuple", "list"):
        for part in answer.value:
            yield from _handed_out(part)
    elif answer.kind == "dict":
        for part in answer.value.values():
            yield from _handed_out(part)


class Bounds:
    """Every place that a kernel in the interpreter touches, held against the tensors' memory."""

    def __init__(self) -> None:
        self._reach: Reach | None = None
        self._strays: list[str] = []
        memory: Any = interpreter._interpreter
        for way in WAYS:
            setattr(memory, way.name, self._watched(way, getattr(memory, way.name)))

    def _watched(self, way: Way, original: Callable[..., Any]) -> Callable[..., Any]:
        def touch(*arguments: Any) -> Any:
            if self._reach is not None and (words := self._reach.strays(way, arguments)):
                self._strays.append(words)
                raise OutOfBounds(words)
            return original(*arguments)

        return touch

    @contextmanager
    def held(self, extents: list[tuple[int, int]]) -> Iterator[None]:
        """Let a kernel touch only this memory. An access outside of it would end the process."""
        self._reach = Reach(extents)
        try:
            yield
        finally:
            self._reach = None

    def strays(self) -> list[str]:
        """Return what strayed since the last look, in words."""
        strays, self._strays = self._strays[:STRAYS_MOST], []
        return strays
