"""Records a launcher's calls while they really run: in its own test.

A launcher could launch kernels only where it is recorded. So the process of the test carries the
same recorder, passing through, and the judge holds the kernels launched there against a recording.
"""

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any

from validation.harness.inside.values import tensors_in
from validation.harness.recorder.recording import Recording, Session
from validation.harness.recorder.storages import name_of
from validation.harness.recorder.tracing import Tracer
from validation.harness.torch_operations import COMPUTES, base_name

Json = Any
CALLS_MOST = 1000


class Observer:
    """`calls`: of each layout of inputs, what the launcher's calls did."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer, self._session = tracer, Session(passes=True)
        self._calls: dict[str, Json] = {}

    def observed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            # Within a call the launcher may call itself.
            if self._tracer.recording is not None or len(self._calls) > CALLS_MOST:
                return function(*args, **kwargs)
            return self._call(function, args, kwargs)

        return call

    def _call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        inputs = tensors_in((args, kwargs))
        recording = Recording(self._session, inputs)
        recording.graph.leaves(inputs)
        layout = layout_of(inputs)
        self._tracer.recording = recording
        try:
            with self._tracer.mode():
                return function(*args, **kwargs)
        finally:
            self._tracer.recording = None
            recording.close()
            self._note(layout, recording)

    def _note(self, layout: Json, recording: Recording) -> None:
        seen = self._calls.setdefault(
            repr(layout), {"layout": layout, "kernels": Counter(), "computed": Counter()}
        )
        for instruction in flat(recording.everything()):
            if instruction["do"] == "launch":
                seen["kernels"][instruction["kernel"].partition(":")[0]] += 1
            elif instruction["do"] == "operation" and base_name(instruction["name"]) in COMPUTES:
                seen["computed"][base_name(instruction["name"])] += 1
        seen["computed"].update(recording.problems)

    def said(self) -> Json:
        return [
            {**seen, "kernels": dict(seen["kernels"]), "computed": dict(seen["computed"])}
            for seen in self._calls.values()
        ]


def layout_of(inputs: list[Any]) -> Json:
    return [[name_of(one.dtype), list(one.shape), list(one.stride())] for one in inputs]


def flat(instructions: list[Json]) -> list[Json]:
    """Return the instructions of the call, those within functions and of earlier calls included:
    in a test those calls came before."""
    found = []
    for instruction in instructions:
        found.append(instruction)
        found += flat(instruction.get("instructions", []))
    return found
