"""The process that runs triton_code and nothing else of the entry: the answers leave as bytes.

Each trial runs `veiled` (see `veil`), `plain`, `sighted` (like veiled, without the veil) or `idle`
(launches do nothing), always watched and always in guarded and poisoned memory, so that the code
can't tell which.
"""

import time
from collections.abc import Callable
from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.inside import folder, gpu, tampering
from validation.harness.inside.complaint import described
from validation.harness.inside.conduct import Told, listener
from validation.harness.inside.gradients import gradients
from validation.harness.inside.guards import ABSURD, NAN, Guarded, guarded, trespasses
from validation.harness.inside.launches import Posting, posts
from validation.harness.inside.quiet import Quiet
from validation.harness.inside.values import (
    Packing,
    as_bytes,
    from_bytes,
    rebuilt,
    tensors_in,
    unpack,
)
from validation.harness.inside.watch import Watch

# The first runs whose inputs come late.
LATE = 6


def candidates() -> Callable[[dict[str, Any]], "Candidate"]:
    """Makes a process's candidates, one after the other. What can be set up once only is theirs
    together, and lies where only this function's caller finds it."""
    ours = tampering.our_spaces()
    shared: list[tuple[Posting, Callable[[], Told]]] = []

    def candidate(order: dict[str, Any]) -> Candidate:
        gpu.begin(order)
        if not shared:
            shared.append((posts(), listener()))
        return Candidate(order, *shared[0], ours)

    return candidate


class Candidate:
    def __init__(
        self, order: dict[str, Any], posted: Posting, listen: Callable[[], Told],
        ours: list[tampering.Space],
    ) -> None:  # fmt: skip
        self.posted, self.listen = posted, listen
        self.broken = tampering.sealed(ours=ours)
        self.broken_on_the_way = tampering.sealed(tampering.ON_THE_WAY, ours)
        self.patched: set[str] = set()
        # Of the run before, with what they held: kept, so that nobody else is given their memory.
        self.handed_out: list[tuple[torch.Tensor, Blob]] = []
        self.device = torch.device(order["device"])
        self.point = order["entry_point"]
        self.gradients = order["gradients"]
        self.seed = order["seed"]
        folder.lay_out({"triton_code": order["triton_code"]})

    def answers(self, order: dict[str, Any], blobs: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answers to all trials of the order, in the order's order."""
        told = self.listen()
        packing = Packing()
        try:
            function = folder.function(folder.load("triton_code"), self.point)
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error), **self._behaviour(told)}, []
        runs: list[dict[str, Any]] = []
        for trial in order["trials"]:
            for mode in trial["modes"]:
                run = Run(self, trial["arguments"], blobs, mode, packing, late=len(runs) < LATE)
                runs.append({"trial": trial["number"], "mode": mode, **run.made(function)})
        return {"runs": runs, **self._behaviour(told)}, packing.blobs

    def _behaviour(self, told: Told) -> dict[str, Any]:
        return {"conduct": told(), "patched": sorted(self.patched.union(self.broken()))}


class Run:
    """One call of the candidate on inputs of its own."""

    def __init__(
        self, owner: Candidate, tree: Any, blobs: list[memoryview], mode: str, packing: Packing,
        *, late: bool,
    ) -> None:  # fmt: skip
        self.owner, self.packing, self.mode = owner, packing, mode
        pattern = NAN if mode in ("veiled", "sighted") else ABSURD
        self.watch = Watch(
            pattern=pattern, veiled=mode == "veiled", idle=mode == "idle",
            broken=owner.broken_on_the_way,
        )  # fmt: skip
        self.memories: dict[int, Guarded] = {}
        self.again = False
        self.blobs = blobs
        self.views: dict[int, list[Any]] = {}
        # Seldom: meanwhile nobody else can use the GPU.
        self.late = owner.device.type == "cuda" and mode == "plain" and late
        self.arguments = unpack(tree, self._input)
        self._clear_gaps(pattern)

    def _input(self, tree: Any) -> torch.Tensor:
        place = tree["storage"]
        blob = self.blobs[place]
        if place not in self.memories:
            name = f"input {len(self.memories)}"
            self.memories[place] = guarded(len(blob), self.owner.device, self.watch.pattern, name)
            given = from_bytes(blob, torch.uint8, (len(blob),))
            self.memories[place].inner.copy_(given, non_blocking=True)
        self.views.setdefault(place, []).append(tree)
        return self.memories[place].as_tensor(
            getattr(torch, tree["dtype"]), tree["shape"], tree["stride"], tree["offset"]
        )

    def _clear_gaps(self, pattern: int) -> None:
        """What lies between the elements of a strided input must not carry anything across."""
        for place, trees in self.views.items():
            inner = self.memories[place].inner
            width = getattr(torch, trees[0]["dtype"]).itemsize
            if any(getattr(torch, tree["dtype"]).itemsize != width for tree in trees):
                continue
            used = torch.zeros(inner.numel() // width, dtype=torch.bool)
            for tree in trees:
                used.as_strided(tree["shape"], tree["stride"], tree["offset"]).fill_(True)
            if not used.all():
                gaps = ~used.repeat_interleave(width).to(inner.device)
                inner[: len(gaps)][gaps] = pattern

    def made(self, function: Any) -> dict[str, Any]:
        before = {place: memory.inner.clone() for place, memory in self.memories.items()}
        started = time.perf_counter()
        try:
            answer = self._called(function)
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            said: dict[str, Any] = {"error": described(error)}
        else:
            said = {"answer": answer}
        finally:
            if self.owner.device.type == "cuda":
                torch.cuda.synchronize()
            self.watch.veil.drop()
            self.owner.patched |= self.watch.patched
        said["again"] = self.again
        said["seconds"] = time.perf_counter() - started
        said["mutated"] = [self._mutated(place) for place in self._changed(before)]
        watch = self.watch
        beside = trespasses((*self.memories.values(), *watch.guards))
        said["trespass"] = [*watch.strays, *beside][:5]
        said |= {
            "launches": dict(watch.launches), "foreign": dict(watch.foreign), "reads": watch.reads,
            "computed": dict(watch.computed),
        }  # fmt: skip
        # Who kept an input has nothing to compute from once it is told apart from the next.
        for memory in self.memories.values():
            memory.inner.fill_(watch.pattern)
        return said

    def _called(self, function: Any) -> Any:
        owner = self.owner
        torch.manual_seed(owner.seed)
        arguments = self.arguments
        if owner.gradients:
            arguments = rebuilt(arguments, _leaf)
        inputs = tensors_in(arguments)
        watch = self.watch
        watch.veil.cover([tensor.detach() for tensor in inputs])
        if self.late:
            self._arrive_late()
        broken, patched = watch.broken, watch.patched

        def called() -> tuple[Any, list[torch.Tensor], list[torch.Tensor | None]]:
            answer = function(*arguments)
            # Before anything of ours is looked for by its name.
            patched.update(broken())
            if not owner.gradients:
                return answer, [], []
            handed = watch.copies(tensors_in(answer))
            return answer, handed, gradients(arguments, answer, owner.seed, watch)

        answer, handed, found = owner.posted(watch, called)
        quiet = Quiet()
        quiet.begin()
        watch.veil.drop()
        try:
            # Copied out on the stream that the caller is on, before anything else is waited for.
            packed = len(self.packing.blobs)
            value, tensors = self.packing.plain(answer), tensors_in(answer)
            copied = [None if tensor is None else self.packing.tensor(tensor) for tensor in found]
            held = self.packing.blobs[packed : packed + len(tensors)]
            self.again = self._writes_again(list(zip(tensors, held, strict=True)), handed)
            aliases = [self._alias(tensor) for tensor in tensors]
            return {"value": value, "gradients": copied, "aliases": aliases}
        finally:
            quiet.end()

    def _arrive_late(self) -> None:
        """The inputs come after a delay: a kernel on a stream that does not wait misses them."""
        truths = [(memory.inner, memory.inner.clone()) for memory in self.memories.values()]
        for inner, _ in truths:
            inner.fill_(self.watch.pattern)
        gpu.delay()
        for inner, truth in truths:
            inner.copy_(truth)

    def _alias(self, tensor: torch.Tensor) -> bool:
        place = _place(tensor)
        return place != 0 and any(
            _place(memory.inner) == place for memory in self.memories.values()
        )

    def _writes_again(
        self, answer: list[tuple[torch.Tensor, Blob]], handed: list[torch.Tensor]
    ) -> bool:
        """Whether it wrote to what was handed out before: to the answer of the run before, in
        memory that is no input's, or on the way back to its own, which was `handed` out by then."""
        before = self.owner.handed_out
        self.owner.handed_out = [(one, held) for one, held in answer if not self._alias(one)]
        places = {_place(tensor) for tensor, _ in self.owner.handed_out} - {0}
        of_before = [(one, held) for one, held in before if _place(one) in places]
        of_this = zip(handed, (held for _, held in answer), strict=False)
        return any(as_bytes(tensor) != held for tensor, held in (*of_before, *of_this))

    def _changed(self, before: dict[int, torch.Tensor]) -> list[int]:
        """The inputs that are no longer what they were. The GPU is waited for once."""
        if not before:
            return []
        differ = [(self.memories[place].inner != was).any() for place, was in before.items()]
        return [place for place, found in zip(before, torch.stack(differ).tolist(), strict=True)
                if found]  # fmt: skip

    def _mutated(self, place: int) -> dict[str, Any]:
        """The input as it is now, as far as elements reach; gaps are left out."""
        now = [
            self.memories[place].as_tensor(
                getattr(torch, tree["dtype"]), tree["shape"], tree["stride"], tree["offset"]
            )
            for tree in self.views[place]
        ]
        return {"storage": place, "now": [self.packing.tensor(tensor) for tensor in now]}


def _place(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _leaf(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().requires_grad_(tensor.is_floating_point())
