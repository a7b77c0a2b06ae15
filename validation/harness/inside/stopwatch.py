"""The process that times triton_code or python_code, and has nothing else of the entry.

Each timed run has inputs of its own, with values that this process was never handed before, so
that nothing remembered is of use; and what each run answered is copied before the next begins, so
that nothing can be made up for later. Whoever asked then wants to see some of the answers.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.inside import folder, gpu, tampering
from validation.harness.inside.clock import Clock, HostClock
from validation.harness.inside.complaint import described
from validation.harness.inside.conduct import Told, listener
from validation.harness.inside.launches import posts
from validation.harness.inside.lookout import Lookout
from validation.harness.inside.values import Packing, Placing, rebuilt, tensors_in, unpack

# Compiling, tuning, and filling the allocator's pools: so often with each of the first inputs.
WARM_UPS = 2

Blobs = list[memoryview]


class Stopwatch:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        # Of its own: what compiles the reference must not be anybody else's.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "inductor")
        self.module = order["module"]
        self.point, self.seed = order["entry_point"], order["seed"]
        self.watched = self.module == "triton_code"
        self.device = torch.device(order["device"])
        self.clock = Clock() if self.device.type == "cuda" else HostClock()
        self.reseed = torch.manual_seed
        self.listen: Callable[[], Told] = lambda: dict
        if self.watched:
            self.posted = posts()
            self.listen = listener()
        self.conduct: Counter[str] = Counter()
        self.broken = tampering.sealed()
        folder.lay_out({self.module: order[self.module]})
        self.function: Any = None
        self.sets: list[tuple[int, Any]] = []
        self.answers: dict[int, Any] = {}
        self.computed: dict[str, int] = {}
        self.asides = self.warming = 0
        self.notes: list[str] = []

    def prepare(self, order: dict[str, Any], blobs: Blobs) -> tuple[Any, list[Blob]]:
        """Everything up to the first timed run, on the first few of the inputs alone."""
        told = self.listen()
        try:
            self.function = folder.function(folder.load(self.module), self.point)
            if order["compiled"]:
                self.function = torch.compile(self.function)
            self.sets = [
                (one["number"], unpack(one["arguments"], Placing(blobs, self.device)))
                for one in order["sets"]
            ]
            flops = _flops(self.function, self.sets[0][1]) if order["count"] else 0
            self.warming = order["warming"]
            for _ in range(WARM_UPS):
                for _, arguments in self.sets[: self.warming]:
                    self.clock.get_ahead(self._call(arguments))
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        finally:
            self.conduct.update(told())
        return {"flops": flops}, []

    def measure(self, _: dict[str, Any], __: Blobs) -> tuple[Any, list[Blob]]:
        """Alone on the GPU: microseconds of each run."""
        warming, timed = self.sets[: self.warming], self.sets[self.warming :]
        took = []
        told = self.listen()
        try:
            self.clock.wake()
            for one in warming:
                self.clock.run(self._call(one[1]))
            for number, arguments in timed:
                answer, microseconds = self.clock.run(self._call(arguments))
                took.append(microseconds)
                if self.watched:
                    self._keep(number, answer)
                # Its memory is the next one's, else that one would have to ask for more.
                del answer
        except BaseException as error:  # noqa: BLE001 - as above
            return {"error": described(error)}, []
        finally:
            self.conduct.update(told())
        return {"took": took, **(self._behaviour() if self.watched else {})}, []

    def hand_over(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """What it answered in these runs."""
        packing = Packing()
        runs = [
            {
                "trial": number,
                "mode": "timed",
                "answer": {
                    "value": packing.plain(self.answers[number]), "gradients": [], "aliases": [],
                },
            }
            for number in order["numbers"]
        ]  # fmt: skip
        return {"runs": runs}, packing.blobs

    def _call(self, arguments: Any) -> Any:
        self.reseed(self.seed)
        if not self.watched:
            return lambda: self.function(*arguments)
        lookout = Lookout(tensors_in(arguments))

        def watched() -> Any:
            try:
                return self.posted(lookout, lambda: self.function(*arguments))
            finally:
                self._note(lookout)

        return watched

    def _note(self, lookout: Lookout) -> None:
        for name, count in lookout.computed.items():
            self.computed[name] = self.computed.get(name, 0) + count
        self.asides += lookout.asides

    def _keep(self, number: int, answer: Any) -> None:
        if words := self.clock.left_behind():
            self.notes.append(words)
        for tensor in tensors_in(answer):
            if type(tensor) is not torch.Tensor:
                self.notes.append(f"answers with a {type(tensor).__name__} in place of a tensor")
        self.answers[number] = rebuilt(answer, lambda tensor: tensor.detach().clone())

    def _behaviour(self) -> dict[str, Any]:
        return {
            "conduct": dict(self.conduct),
            "patched": self.broken(),
            "computed": self.computed,
            "asides": self.asides,
            "notes": sorted(set(self.notes)),
        }


def _flops(function: Any, arguments: Any) -> int:
    """Of matrix products, convolutions and attention, which torch can count; the rest is 0."""
    from torch.utils.flop_counter import FlopCounterMode

    try:
        with FlopCounterMode(display=False) as counter:
            function(*arguments)
    except Exception:  # noqa: BLE001 - not to know is no fault
        return 0
    return int(counter.get_total_flops())
