"""The process that times an entry's recorded program, or its python_code.

Each timed run has inputs of its own, and what each run answered is copied before the next begins.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.inside import folder, gpu
from validation.harness.inside.clock import Clock
from validation.harness.inside.complaint import described
from validation.harness.inside.values import Packing, Placing, rebuilt, tensors_in, unpack
from validation.harness.replayer.played import Played

# Compiling, and filling the allocator's pools: so often with each of the first inputs.
WARM_UPS = 2

Blobs = list[memoryview]


class Stopwatch:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        # A cache of its own: an entry could put forged code for the reference into a shared one.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "inductor")
        self.seed = order["seed"]
        self.device = torch.device(order["device"])
        self.clock = Clock()
        self.sets: list[tuple[int, Callable[[], Any]]] = []
        self.answers: dict[int, Any] = {}
        self.warming = 0

    def prepare(self, order: dict[str, Any], blobs: Blobs) -> tuple[Any, list[Blob]]:
        """Do everything up to the first timed run, on the first few of the inputs alone."""
        try:
            flops = self._prepare(order, blobs)
            self.warming = order["warming"]
            for _ in range(WARM_UPS):
                for _, call in self.sets[: self.warming]:
                    self.clock.get_ahead(self._seeded(call))
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        return {"flops": flops}, []

    def _prepare(self, order: dict[str, Any], blobs: Blobs) -> int:
        """Make a call for each set of inputs. Return the reference's operations, if asked."""
        place = Placing(blobs, self.device)
        if "triton_code" in order:
            played = Played(order["triton_code"], order["programs"], blobs, self.device)
            for one in order["sets"]:
                arguments = unpack(one["arguments"], place)
                inputs = tensors_in(arguments)
                self.sets.append((one["number"], played.call(one["program"], inputs)))
            return 0
        folder.lay_out({"python_code": order["python_code"]})
        function = folder.function(folder.load("python_code"), order["entry_point"])
        if order["compiled"]:
            function = torch.compile(function)
        for one in order["sets"]:
            arguments = unpack(one["arguments"], place)
            self.sets.append((one["number"], _called(function, arguments)))
        return _flops(self.sets[0][1]) if order["count"] else 0

    def measure(self, order: dict[str, Any], __: Blobs) -> tuple[Any, list[Blob]]:
        """Alone on the GPU: microseconds of each run. `keep`: whether answers are looked at."""
        warming, timed = self.sets[: self.warming], self.sets[self.warming :]
        took = []
        try:
            self.clock.wake()
            for _, call in warming:
                self.clock.run(self._seeded(call))
            for number, call in timed:
                answer, microseconds = self.clock.run(self._seeded(call))
                took.append(microseconds)
                if order["keep"]:
                    self.answers[number] = rebuilt(answer, lambda one: one.detach().clone())
                # Its memory is the next one's, else that one would have to ask for more.
                del answer
        except BaseException as error:  # noqa: BLE001 - as above
            return {"error": described(error)}, []
        return {"took": took}, []

    def hand_over(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Answer with what these runs answered."""
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

    def _seeded(self, call: Callable[[], Any]) -> Callable[[], Any]:
        torch.manual_seed(self.seed)
        return call


def _called(function: Callable[..., Any], arguments: Any) -> Callable[[], Any]:
    return lambda: function(*arguments)


def _flops(call: Callable[[], Any]) -> int:
    """Return the operations of matrix products, convolutions and attention; torch counts no
    others."""
    from torch.utils.flop_counter import FlopCounterMode

    try:
        with FlopCounterMode(display=False) as counter:
            call()
    except Exception:  # noqa: BLE001 - not to know is no fault
        return 0
    return int(counter.get_total_flops())
