"""Runs of a launcher under the recorder: on decoys, or in its own test."""

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from validation.harness.plan.arguments import tensors
from validation.harness.pool.channel import Blob
from validation.harness.recorder.recording import NeedsRead, Recording, RecordingSession
from validation.harness.recorder.tracer import tracer
from validation.harness.torch_operations import COMPUTES, base_name
from validation.harness.worker import folder, gpu
from validation.harness.worker.folder import described
from validation.harness.worker.gradients import cotangents, make_leaves
from validation.harness.worker.values import (
    Placing,
    as_bytes,
    call,
    name_of,
    rebuilt,
    state,
    tensors_in,
)

Json = Any
DECOY_SEED = 12345
CALLS_MOST = 1000


class Recorder:
    """Worker role that runs `triton_code` on decoys. It knows only the layout of the inputs."""

    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self._device = torch.device(order["device"])
        self._point, self._seed = order["entry_point"], order["seed"]
        self._gradients = order["gradients"]
        self._module: Any = None
        self._function: Any = None
        folder.lay_out({"triton_code": order["triton_code"]})
        self._tracer, self._session = tracer(), RecordingSession()
        self._tracer.tune = order.get("tune", False)
        self._last: tuple[int | None, Any] = None, None

    def record(self, order: dict[str, Any], _: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer with a program for each requested call, or with the exception of the launcher."""
        blobs: list[Blob] = []
        try:
            if self._function is None:
                self._module = folder.load("triton_code")
                self._function = folder.function(self._module, self._point)
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        return {"made": [self._record(call, blobs) for call in order["calls"]]}, blobs

    def _record(self, order: dict[str, Any], blobs: list[Blob]) -> dict[str, Any]:
        arguments = self._arguments(order)
        recording = Recording(self._session, tensors_in(arguments), order["known"])
        reply: dict[str, Any] = {"trial": order["trial"]}
        try:
            reply["program"] = self._call(recording, arguments, expanded=order["expanded"])
            reply["state"] = state(arguments)
        except NeedsRead as reading:
            reply |= {"program": reading.program, "reads": True}
        except BaseException as error:  # noqa: BLE001 - as above
            reply["error"] = described(error)
        if "program" in reply:
            reply["program"] = _without_content(reply["program"], blobs)
        return {**reply, "problems": dict(recording.problems)}

    def _call(self, recording: Recording, arguments: Any, *, expanded: bool) -> Json:
        """Call the launcher and run its backward pass, and return the program."""
        leaves = [tensor for tensor in tensors_in(arguments) if tensor.requires_grad]
        recording.graph.add_leaves(leaves)
        torch.manual_seed(self._seed)
        with self._tracer.recorded_by(recording):
            result = call(self._function, arguments)
            with self._tracer.paused():
                answer = recording.answer(result)
            if self._gradients:
                self._call_backward(recording, tensors_in(result), leaves, expanded=expanded)
        return recording.as_json(answer)

    def _call_backward(
        self, recording: Recording, results: list[torch.Tensor], leaves: list[torch.Tensor], *,
        expanded: bool,
    ) -> None:  # fmt: skip
        outputs = [tensor for tensor in results if tensor.requires_grad]
        if not outputs:
            raise RuntimeError("no output requires a gradient")
        with self._tracer.paused():
            upstream = cotangents(outputs, DECOY_SEED, expanded=expanded)
        recording.graph.begin_backward_pass()
        torch.autograd.grad(outputs, leaves, upstream, allow_unused=True)

    def _arguments(self, order: dict[str, Any]) -> Any:
        """Return decoys: the same tensors for all calls of a trial, but in new containers.

        With new tensors, a launcher that caches answers by address would go unnoticed. With the
        same containers, a launcher could count its calls in a dictionary among its arguments.
        """
        if self._last[0] != order["trial"]:
            self._last = order["trial"], self._decoys(order["arguments"], order["sizes"])
        decoys = self._last[1]
        if self._gradients:
            return make_leaves(decoys, order["arguments"])
        return rebuilt(decoys, lambda tensor: tensor)

    def _decoys(self, tree: Any, sizes: dict[str, int]) -> Any:
        """Return decoys in the layout of the arguments. Floats are random.

        Integers are 0, which is a valid index for any tensor.
        """
        generator = torch.Generator().manual_seed(DECOY_SEED)
        contents: dict[int, Blob] = {}
        for part in tensors(tree):
            if (place := part["storage"]) not in contents:
                contents[place] = _noise(sizes[str(place)], part["dtype"], generator)
        return Placing(contents, self._device).arguments(tree, self._module)


def _noise(size: int, name: str, generator: torch.Generator) -> Blob:
    dtype: torch.dtype = getattr(torch, name)
    if not dtype.is_floating_point:
        return bytes(size)
    noise = torch.randn(size // dtype.itemsize + 1, generator=generator).to(dtype)
    return memoryview(as_bytes(noise))[:size]


def _without_content(part: Any, blobs: list[Blob]) -> Any:
    """Return the program with the content of its constants moved into blobs."""
    if isinstance(part, dict):
        return {key: _without_content(value, blobs) for key, value in part.items()}
    if isinstance(part, list):
        return [_without_content(value, blobs) for value in part]
    if isinstance(part, bytes):
        blobs.append(part)
        return len(blobs) - 1
    return part


class Observer:
    """Recorder of a launcher's calls in its own test, where kernels really run.

    A launcher could launch kernels only on decoys. The judge therefore compares the calls in the
    test with the recordings.
    """

    def __init__(self) -> None:
        self._tracer, self._session = tracer(), RecordingSession(passes=True)
        self._calls: dict[str, Json] = {}

    def observe(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its calls recorded."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            # Record only the outermost call, because a launcher may call itself.
            if self._tracer.recording is not None or len(self._calls) > CALLS_MOST:
                return function(*args, **kwargs)
            inputs = tensors_in((args, kwargs))
            recording = Recording(self._session, inputs)
            recording.graph.add_leaves(inputs)
            layout = [[name_of(one.dtype), list(one.shape), list(one.stride())] for one in inputs]
            try:
                with self._tracer.recorded_by(recording):
                    return function(*args, **kwargs)
            finally:
                self._count(layout, recording)

        return call

    def _count(self, layout: Json, recording: Recording) -> None:
        counts = self._calls.setdefault(
            repr(layout), {"layout": layout, "kernels": Counter(), "computed": Counter()}
        )
        for instruction in _flat(recording.all_instructions()):
            if instruction["do"] == "launch":
                counts["kernels"][instruction["kernel"].partition(":")[0]] += 1
            elif instruction["do"] == "operation" and base_name(instruction["name"]) in COMPUTES:
                counts["computed"][base_name(instruction["name"])] += 1
        counts["computed"].update(recording.problems)

    def calls(self) -> Json:
        """Return the kernels and torch operations of all calls, grouped by layout of the inputs."""
        return list(self._calls.values())


def _flat(instructions: list[Json]) -> list[Json]:
    """Return all instructions, including those inside of functions and of earlier calls."""
    found = []
    for instruction in instructions:
        found += [instruction, *_flat(instruction.get("instructions", []))]
    return found
