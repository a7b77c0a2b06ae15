"""Worker role that times an entry's recorded program, or its python_code.

Runs use the inputs in rotation. An answer is copied before the next run begins.
"""

import os
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import torch

from validation.harness.pool.channel import Blob
from validation.harness.replayer.player import TextPrograms
from validation.harness.worker import folder, gpu
from validation.harness.worker.clock import Clock, HostClock
from validation.harness.worker.folder import described
from validation.harness.worker.values import Packing, Placing, call, rebuilt, tensors_in

# Number of untimed calls with each of the first inputs, to compile and to fill memory pools.
WARM_UPS = 2

Blobs = list[memoryview]
# For each set of inputs: the trial's number, and a function that runs the trial.
Calls = list[tuple[int, Callable[[], Any]]]


class Stopwatch:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        # Use a separate cache. An entry could write forged code into a shared cache.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "inductor")
        self.seed = order["seed"]
        self.device = torch.device(order["device"])
        self.clock = Clock() if self.device.type == "cuda" else HostClock()
        self.calls: Calls = []
        self.answers: dict[int, Any] = {}
        self.warming = order["warming"]

    def prepare(self, order: dict[str, Any], blobs: Blobs) -> tuple[Any, list[Blob]]:
        """Do everything before the first timed run, using only the first few inputs.

        A function for torch.compile runs on all inputs: torch recompiles some functions for each
        new value, until it gives up.
        """
        flops, self.calls = 0, []
        try:
            place = Placing(blobs, self.device)
            if "triton_code" in order:
                self.calls = self._programs(order, blobs, place)
            else:
                self.calls = self._reference(order, place)
            if order.get("count"):
                flops = _flops(self.calls[0][1])
            warming = len(self.calls) if order.get("compiled") else self.warming
            for _ in range(WARM_UPS):
                for _, call in self.calls[:warming]:
                    self.clock.get_ahead(self._seeded(call))
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        return {"flops": flops}, []

    def _programs(self, order: dict[str, Any], blobs: Blobs, place: Placing) -> Calls:
        programs = TextPrograms(order, blobs, self.device)
        return [
            (run["trial"], programs.call(run, tensors_in(place.arguments(run["arguments"]))))
            for run in order["runs"]
        ]

    def _reference(self, order: dict[str, Any], place: Placing) -> Calls:
        folder.lay_out({"python_code": order["python_code"]})
        module = folder.load("python_code")
        function = folder.function(module, order["entry_point"])
        if order["compiled"]:
            function = torch.compile(function)
        return [
            (run["trial"], partial(call, function, place.arguments(run["arguments"], module)))
            for run in order["runs"]
        ]

    def measure(self, order: dict[str, Any], __: Blobs) -> tuple[Any, list[Blob]]:
        """Answer with the microseconds of each run. No other process may use the GPU meanwhile.

        `runs`: number of runs. `keep`: whether to keep the last answer for each set of inputs.
        """
        took = []
        try:
            self.clock.wake()
            for _, call in self.calls[: self.warming]:
                self.clock.run(self._seeded(call))
            for number, call in islice(cycle(self.calls[self.warming :]), order["runs"]):
                answer, microseconds = self.clock.run(self._seeded(call))
                took.append(microseconds)
                if order["keep"]:
                    self.answers[number] = rebuilt(answer, lambda one: one.detach().clone())
                # Free the answer, so that the next run can reuse its memory.
                del answer
        except BaseException as error:  # noqa: BLE001 - as above
            return {"error": described(error)}, []
        return {"took": took}, []

    def hand_over(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Return the outputs of the timed runs, for the trials in `numbers`."""
        packing = Packing()
        runs = []
        for number in order["numbers"]:
            value = packing.plain(self.answers[number])
            answer = {"value": value, "gradients": [], "aliases": []}
            runs.append({"trial": number, "mode": "timed", "answer": answer})
        return {"runs": runs}, packing.blobs

    def _seeded(self, call: Callable[[], Any]) -> Callable[[], Any]:
        torch.manual_seed(self.seed)
        return call


def _flops(call: Callable[[], Any]) -> int:
    """Return the number of operations in matrix products, convolutions and attention. Torch counts
    no other operations."""
    from torch.utils.flop_counter import FlopCounterMode

    try:
        with FlopCounterMode(display=False) as counter:
            call()
    except Exception:  # noqa: BLE001 - the number is optional
        return 0
    return int(counter.get_total_flops())
