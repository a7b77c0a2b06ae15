"""Worker role that runs python_code and no other text of the entry, for the expected answers.

It runs each trial at the type of its inputs, which shows how exact torch is at that type. Then it
runs the trial in float64, and in float64 with the last bits of the inputs changed, which shows how
much rounding matters. If the launcher's answer still counts as wrong, the trial runs once more in
float64, with every result changed in its last bit.
"""

from contextlib import ExitStack
from typing import Any

import torch

from validation.harness.pool.channel import Blob
from validation.harness.worker import folder, gpu
from validation.harness.worker.folder import described
from validation.harness.worker.gradients import gradients, make_leaves
from validation.harness.worker.rounding import Rounding, Wide, either_way, last_bit
from validation.harness.worker.values import Packing, Placing, call, rebuilt, state, tensors_in

WIDTHS = ("native", "precise", "shaken")


class ReferenceRole:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self.device = torch.device(order["device"])
        self.point = order["entry_point"]
        self.gradients, self.seed = order["gradients"], order["seed"]
        folder.lay_out({"python_code": order["python_code"]})
        self._module: Any = None

    def answers(self, order: dict[str, Any], blobs: list[memoryview]) -> tuple[Any, list[Blob]]:
        packing = Packing()
        try:
            self._module = folder.load("python_code")
            function = folder.function(self._module, self.point)
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        runs = []
        for trial in order["runs"]:
            run: dict[str, Any] = {"trial": trial["trial"]}
            written = None
            for width in order.get("widths", WIDTHS):
                try:
                    run[width] = self._answer(function, trial, blobs, width, packing, written)
                    written = run[width]["places"]
                except BaseException as error:  # noqa: BLE001 - as above
                    run[width] = {"error": described(error)}
                    if width == "native":
                        break
            runs.append(run)
        return {"runs": runs}, packing.blobs

    def _answer(
        self, function: Any, trial: dict[str, Any], blobs: list[memoryview], width: str,
        packing: Packing, written: list[int] | None,
    ) -> dict[str, Any]:  # fmt: skip
        """Return the answer at one of WIDTHS, or "rounded". `written`: positions of the tensor
        arguments that the function writes to, or None if unknown."""
        torch.manual_seed(self.seed)
        tree, expanded = trial["arguments"], trial["expanded"]
        placing = Placing(blobs, self.device)
        arguments = placing.arguments(tree, self._module)
        bit = last_bit(tensors_in(arguments))
        generator = torch.Generator(device=self.device).manual_seed(self.seed)

        def prepared(tensor: torch.Tensor) -> torch.Tensor:
            if not tensor.is_floating_point():
                return tensor
            if width != "native":
                tensor = tensor.double()
            return tensor * either_way(tensor, bit, generator) if width == "shaken" else tensor

        if width != "native" and not any(map(torch.is_floating_point, tensors_in(arguments))):
            raise TypeError("no input is a floating-point tensor")
        arguments = rebuilt(arguments, prepared)
        if self.gradients:
            arguments = make_leaves(arguments, tree)
        storages = placing.storages
        pristine = {place: storage.clone() for place, storage in storages.items()}
        with ExitStack() as modes:
            if width != "native":
                modes.enter_context(Wide())
            if width == "rounded":
                modes.enter_context(Rounding(bit, generator))
            answer = call(function, arguments)
            of_inputs = []
            if self.gradients:
                of_inputs = gradients(arguments, answer, self.seed, expanded=expanded)
        mutated = [
            place
            for place, storage in storages.items()
            if width == "native" and not torch.equal(storage, pristine[place])
        ]
        inputs = tensors_in(arguments)
        if written is None:
            changed = {_address(storages[place]) for place in mutated}
            written = [place for place, tensor in enumerate(inputs) if _address(tensor) in changed]
        addresses = set(map(_address, storages.values()))
        return {
            "value": packing.plain(answer),
            "gradients": [
                None if gradient is None else packing.tensor(gradient) for gradient in of_inputs
            ],
            "aliases": [_address(tensor) in addresses for tensor in tensors_in(answer)],
            "written": [packing.tensor(inputs[place]) for place in written],
            "places": written,
            "mutated": mutated,
            "state": state(arguments),
        }


def _address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
