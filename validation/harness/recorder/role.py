"""The process that runs `triton_code`, on decoys. It knows no more of inputs than their layout."""

from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.inside import folder, gpu
from validation.harness.inside.complaint import described
from validation.harness.inside.gradients import leaves
from validation.harness.inside.values import tensors_in, unpack
from validation.harness.recorder.recording import NeedsRead, Recording, Session
from validation.harness.recorder.tracing import Tracer, record

DECOY_SEED = 12345


class Recorder:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self._device = torch.device(order["device"])
        self._point, self._seed = order["entry_point"], order["seed"]
        self._gradients = order["gradients"]
        self._function: Any = None
        folder.lay_out({"triton_code": order["triton_code"]})
        self._tracer, self._session = tracer(), Session()
        self._tracer.tune = order.get("tune", False)
        self._last: tuple[int | None, Any] = None, None

    def record(self, order: dict[str, Any], _: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer with a program for each call of the order, or with what the launcher raised."""
        blobs: list[Blob] = []
        try:
            if self._function is None:
                self._function = folder.function(folder.load("triton_code"), self._point)
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        return {"made": [self._recorded(call, blobs) for call in order["calls"]]}, blobs

    def _recorded(self, call: dict[str, Any], blobs: list[Blob]) -> dict[str, Any]:
        arguments = self._arguments(call)
        known = [list(map(_number, numbers)) for numbers in call["known"]]
        recording = Recording(self._session, tensors_in(arguments), known)
        said: dict[str, Any] = {"number": call["number"]}
        try:
            said["program"] = record(
                self._tracer, recording, self._function, arguments,
                gradients=self._gradients, seed=self._seed,
            )  # fmt: skip
        except NeedsRead as reading:
            said |= {"program": reading.program, "reads": True}
        except BaseException as error:  # noqa: BLE001 - as above
            said["error"] = described(error)
        if "program" in said:
            said["program"] = _parted(said["program"], blobs)
        return {**said, "problems": dict(recording.problems)}

    def _arguments(self, call: dict[str, Any]) -> Any:
        """Return decoys. Of the same trial they are the same, where they were: a launcher could
        remember its answer by the address of its input."""
        if self._last[0] != call["number"]:
            self._last = call["number"], self._decoys(call["arguments"], call["sizes"])
        decoys = self._last[1]
        if not self._gradients:
            return decoys
        return leaves(decoys, call["arguments"])

    def _decoys(self, tree: Any, sizes: dict[str, int]) -> Any:
        """Return arguments that are laid out like the true ones: floats are noise, and whole
        numbers 0, which is an index into anything."""
        storages: dict[int, torch.Tensor] = {}
        generator = torch.Generator().manual_seed(DECOY_SEED)

        def placed(part: Any) -> torch.Tensor:
            place, dtype = part["storage"], getattr(torch, part["dtype"])
            if place not in storages:
                content = _decoy(sizes[str(place)], dtype, generator)
                storages[place] = content.to(self._device)
            empty = torch.empty(0, dtype=dtype, device=self._device)
            storage = storages[place].untyped_storage()
            return empty.set_(storage, part["offset"], part["shape"], part["stride"])

        return unpack(tree, placed)


def _decoy(size: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    if not dtype.is_floating_point:
        return torch.zeros(size, dtype=torch.uint8)
    noise = torch.randn(size // dtype.itemsize + 1, generator=generator).to(dtype)
    return noise.view(torch.uint8)[:size].clone()


def _parted(part: Any, blobs: list[Blob]) -> Any:
    """Return the program with its constants' content among the blobs."""
    if isinstance(part, dict):
        return {key: _parted(value, blobs) for key, value in part.items()}
    if isinstance(part, list):
        return [_parted(value, blobs) for value in part]
    if isinstance(part, bytes):
        blobs.append(part)
        return len(blobs) - 1
    return part


def _number(written: Any) -> Any:
    return float.fromhex(written) if isinstance(written, str) else written


_tracer: Tracer | None = None


def tracer() -> Tracer:
    """Return the process's tracer: its patches are made once."""
    global _tracer
    _tracer = _tracer or Tracer()
    return _tracer
