"""Replay of programs on the true inputs. `triton_code` is never run as a module here."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch

from validation.harness.plan.trial_plan import ORDERS
from validation.harness.pool.channel import Blob
from validation.harness.program import Allocate, Constant, Earlier, Launch, Program, TorchCall
from validation.harness.replayer.player import Player, PreparedProgram, TextPrograms
from validation.harness.replayer.program_order import ProgramOrder, Waits
from validation.harness.worker import gpu
from validation.harness.worker.extents import STRAYS_MOST, AccessCheck
from validation.harness.worker.folder import described
from validation.harness.worker.gradients import gradients, make_leaves
from validation.harness.worker.guards import ABSURD, NAN, Guarded, guarded, trespasses
from validation.harness.worker.values import Packing, from_bytes, tensors_in, unpack

# Unwritten memory is filled with one of two patterns, since a kernel may write one of them.
PATTERNS = {"first": NAN, "second": ABSURD, "idle": ABSURD, **dict.fromkeys(ORDERS, NAN)}
# Number of runs that get their inputs after a delay. More would take too long.
DELAYED_RUNS = 6


class Replayer:
    """Worker role that plays programs, with the settings of its first request."""

    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self.device = torch.device(order["device"])
        self.gradients, self.seed = order["gradients"], order["seed"]
        self._second_runs = 0
        is_interpreter = self.device.type == "cpu"
        self.bounds = AccessCheck() if is_interpreter else None
        self.order = ProgramOrder() if is_interpreter else None
        # CPU time in the interpreter, so that trials do not depend on the machine's load.
        self.clock = time.process_time if is_interpreter else time.perf_counter

    def delays_inputs(self, mode: str) -> bool:
        """Return whether to delay the inputs of the next run."""
        self._second_runs += mode == "second"
        is_early = self._second_runs <= DELAYED_RUNS
        return self.device.type == "cuda" and mode == "second" and is_early

    @contextmanager
    def watched(self, extents: list[tuple[int, int]]) -> Iterator[None]:
        """Run one launch. In the interpreter, apply the mode's program order and these bounds."""
        if self.bounds and self.order:
            with self.bounds.enforced(extents), self.order.launch():
                yield
        else:
            yield

    def answers(self, order: dict[str, Any], blobs: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer with the runs of all trials, in the order of the request."""
        packing, runs = Packing(), []
        programs = TextPrograms(order, blobs, self.device)
        for run in order["runs"]:
            report = self._run(programs, run, blobs, packing)
            runs.append({"trial": run["trial"], "mode": run["mode"], **report})
        return {"runs": runs}, packing.blobs

    def numbers(self, order: dict[str, Any], blobs: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer with the numbers of the tensor that a launcher reads and its program returns."""
        try:
            (run,), programs = order["runs"], TextPrograms(order, blobs, self.device)
            replay = TrialReplay(self, programs.of(run), run["arguments"], blobs, "first")
            numbers = replay.player.run().reshape(-1).tolist()
            return {"numbers": numbers}, []
        except Exception as error:  # noqa: BLE001 - a kernel raises what it likes
            return {"error": described(error)}, []

    def _run(
        self, programs: TextPrograms, run: dict[str, Any], blobs: list[memoryview],
        packing: Packing,
    ) -> dict[str, Any]:  # fmt: skip
        started = self.clock()
        try:
            replay = TrialReplay(self, programs.of(run), run["arguments"], blobs, run["mode"])
        except Exception as error:  # noqa: BLE001 - a kernel raises what it likes
            return {"error": described(error)}
        try:
            with self.order.of(run["mode"]) if self.order else nullcontext():
                report = replay.result(packing, run["written"], expanded=run["expanded"])
        except Waits:
            return {"waits": True}
        return {**report, "seconds": self.clock() - started}


class TrialReplay:
    """One replay of a trial, with copies of the inputs in guarded memory."""

    def __init__(
        self,
        owner: Replayer,
        prepared: PreparedProgram,
        tree: Any,
        blobs: list[memoryview],
        mode: str,
    ) -> None:
        self._owner, self._blobs, self._program = owner, blobs, prepared.program
        self._mode, self._pattern = mode, PATTERNS[mode]
        self._inputs: dict[int, Guarded] = {}
        self._views: dict[int, list[Any]] = {}
        self._guards: list[Guarded] = []
        self._arguments = unpack(tree, self._input)
        self._fill_gaps()
        if owner.gradients:
            self._arguments = make_leaves(self._arguments, tree)
        self.player = Player(
            prepared, tensors_in(self._arguments), owner.device, self._memory, owner.watched,
            idle=mode == "idle", slow=mode == "second",
        )  # fmt: skip

    def _input(self, tree: Any) -> torch.Tensor:
        place, blob = tree["storage"], self._blobs[tree["storage"]]
        if place not in self._inputs:
            name = f"input {len(self._inputs)}"
            memory = guarded(len(blob), self._owner.device, self._pattern, name)
            memory.inner.copy_(from_bytes(blob, torch.uint8, (len(blob),)), non_blocking=True)
            self._inputs[place] = memory
        self._views.setdefault(place, []).append(tree)
        dtype, shape = getattr(torch, tree["dtype"]), tree["shape"]
        return self._inputs[place].as_tensor(dtype, shape, tree["stride"], tree["offset"])

    def _memory(self, size: int) -> torch.Tensor:
        name = f"a tensor of its own of {size:,} bytes"
        memory = guarded(size, self._owner.device, self._pattern, name)
        if self._mode == "idle":
            # Alternate false and true, because a right boolean answer may be true everywhere.
            memory.inner[::2] = 0
        self._guards.append(memory)
        return memory.inner

    def _fill_gaps(self) -> None:
        """Overwrite the gaps between a strided input's elements. No answer may depend on them."""
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

    def result(self, packing: Packing, written: Sequence[int], *, expanded: bool) -> dict[str, Any]:
        """Play the program and return the run as JSON.

        written: positions of inputs that the reference writes to; they belong to the answer.
        expanded: whether the gradients of the outputs have strides of 0.
        """
        before = {place: memory.inner.clone() for place, memory in self._inputs.items()}
        if self._owner.delays_inputs(self._mode):
            self._delay_inputs()
        try:
            report: dict[str, Any] = {"answer": self._answer(packing, written, expanded=expanded)}
        except Exception as error:  # noqa: BLE001 - a kernel raises what it likes
            report = {"error": described(error)}
        strays = self._owner.bounds.take_strays() if self._owner.bounds else []
        strays += trespasses((*self._inputs.values(), *self._guards))
        return {
            **report,
            "launches": dict(self.player.launches),
            "computed": dict(self.player.computed),
            "bytes": dict(self.player.bytes),
            "rearranged": self.player.rearranged,
            "mutated": self._changed(before),
            "trespass": strays[:STRAYS_MOST],
            "again": returns_kept_memory(self._program),
        }

    def _answer(
        self, packing: Packing, written: Sequence[int], *, expanded: bool
    ) -> dict[str, Any]:
        answer, computed = self.player.run(), []
        if self._owner.gradients:
            seed = self._owner.seed
            computed = gradients(self._arguments, answer, seed, expanded=expanded)
        starts = {memory.inner.untyped_storage().data_ptr() for memory in self._inputs.values()}
        return {
            "value": packing.plain(answer),
            "written": [packing.tensor(self.player.inputs[place]) for place in written],
            "gradients": [None if one is None else packing.tensor(one) for one in computed],
            "aliases": [
                tensor.untyped_storage().data_ptr() in starts - {0} for tensor in tensors_in(answer)
            ],
        }

    def _delay_inputs(self) -> None:
        """Write the inputs after a delay. A kernel whose stream does not wait misses them."""
        contents = [(memory.inner, memory.inner.clone()) for memory in self._inputs.values()]
        for inner, _ in contents:
            inner.fill_(self._pattern)
        gpu.delay()
        for inner, content in contents:
            inner.copy_(content)

    def _changed(self, before: dict[int, torch.Tensor]) -> list[int]:
        """Return the inputs whose content changed, with a single wait for the GPU."""
        if not before:
            return []
        differ = [(self._inputs[place].inner != was).any() for place, was in before.items()]
        changed = torch.stack(differ).tolist()
        return [place for place, is_other in zip(before, changed, strict=True) if is_other]


def returns_kept_memory(program: Program) -> bool:
    """Return whether an output lies in memory that the launcher kept from an earlier call.

    Then the next call would overwrite this answer.
    """
    own, kept, written = set[int | None](), set[int | None](), set[int | None]()
    earlier = set[int | None]()
    for instruction in program.every_instruction():
        match instruction:
            case Allocate():
                own.add(instruction.storage)
            case TorchCall():
                own |= {result.window.storage for result in instruction.results}
            case Constant():
                kept.add(instruction.storage)
            case Earlier():
                earlier |= {
                    inner.storage
                    for inner in instruction.instructions
                    if isinstance(inner, Allocate | Constant)
                }
            case Launch():
                written |= {
                    window.storage
                    for argument in instruction.arguments
                    for window in argument.windows()
                }
    returned = {window.storage for window in program.answer.windows()}
    return bool(returned & written & (kept - own | earlier))
