"""The process that runs python_code and nothing else of the entry, for the expected answers.

Each trial at the type it is given in, then in float64, then in float64 with inputs changed in their
last bits: the first says how good torch is at that type, the last how much rounding matters here.
If an answer is off all the same, also in float64 with every result changed in its last bit.
"""

from contextlib import ExitStack
from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.inside import folder, gpu
from validation.harness.inside.complaint import described
from validation.harness.inside.gradients import gradients, make_leaves
from validation.harness.inside.rounding import Rounding, either_way, last_bit
from validation.harness.inside.values import Packing, from_bytes, rebuilt, tensors_in, unpack
from validation.harness.inside.wide import Wide

WIDTHS = ("native", "precise", "shaken")


class Reference:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self.device = torch.device(order["device"])
        self.point = order["entry_point"]
        self.gradients = order["gradients"]
        self.seed = order["seed"]
        folder.lay_out({"python_code": order["python_code"]})

    def answers(self, order: dict[str, Any], blobs: list[memoryview]) -> tuple[Any, list[Blob]]:
        packing = Packing()
        try:
            function = folder.function(folder.load("python_code"), self.point)
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        runs = []
        for trial in order["trials"]:
            run: dict[str, Any] = {"trial": trial["number"]}
            written = trial.get("written")
            for width in order.get("widths", WIDTHS):
                try:
                    tree = trial["arguments"]
                    run[width] = self._answer(function, tree, blobs, width, packing, written)
                    written = run[width]["places"]
                except BaseException as error:  # noqa: BLE001 - as above
                    run[width] = {"error": described(error)}
                    if width == "native":
                        break
            runs.append(run)
        return {"runs": runs}, packing.blobs

    def _answer(
        self, function: Any, tree: Any, blobs: list[memoryview], width: str, packing: Packing,
        written: list[int] | None,
    ) -> dict[str, Any]:  # fmt: skip
        """Return the answer at one width. `written`: the tensors among the arguments that the
        function writes to, None: not known yet."""
        storages: dict[int, torch.Tensor] = {}

        def placed(part: Any) -> torch.Tensor:
            place, blob = part["storage"], blobs[part["storage"]]
            if place not in storages:
                storages[place] = from_bytes(blob, torch.uint8, (len(blob),)).to(self.device)
            empty = torch.empty(0, dtype=getattr(torch, part["dtype"]), device=self.device)
            storage = storages[place].untyped_storage()
            return empty.set_(storage, part["offset"], part["shape"], part["stride"])

        torch.manual_seed(self.seed)
        arguments = unpack(tree, placed)
        bit = last_bit(tensors_in(arguments))
        if width != "native":
            if not any(tensor.is_floating_point() for tensor in tensors_in(arguments)):
                raise TypeError("no input is a floating-point tensor")
            arguments = rebuilt(arguments, _wide)
        generator = torch.Generator(device=self.device).manual_seed(self.seed)
        if width == "shaken":
            arguments = rebuilt(arguments, lambda tensor: _shaken(tensor, bit, generator))
        if self.gradients:
            arguments = make_leaves(arguments, tree)
        pristine = {place: storage.clone() for place, storage in storages.items()}
        with ExitStack() as modes:
            if width != "native":
                modes.enter_context(Wide())
            if width == "rounded":
                modes.enter_context(Rounding(bit, generator))
            answer = function(*arguments)
            found = gradients(arguments, answer, self.seed) if self.gradients else []
        mutated = [
            place
            for place, storage in storages.items()
            if width == "native" and not torch.equal(storage, pristine[place])
        ]
        inputs = tensors_in(arguments)
        if written is None:
            starts = {storages[place].untyped_storage().data_ptr() for place in mutated}
            written = [
                place for place, tensor in enumerate(inputs)
                if tensor.untyped_storage().data_ptr() in starts
            ]  # fmt: skip
        addresses = {storage.untyped_storage().data_ptr() for storage in storages.values()}
        return {
            "value": packing.plain(answer),
            "gradients": [None if tensor is None else packing.tensor(tensor) for tensor in found],
            "aliases": [
                tensor.untyped_storage().data_ptr() in addresses for tensor in tensors_in(answer)
            ],
            "written": [packing.tensor(inputs[place]) for place in written],
            "places": written,
            "mutated": mutated,
        }


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _shaken(tensor: torch.Tensor, bit: float, generator: torch.Generator) -> torch.Tensor:
    return tensor * either_way(tensor, bit, generator) if tensor.is_floating_point() else tensor
