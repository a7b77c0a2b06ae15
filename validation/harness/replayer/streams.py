"""The streams and events of a program, on the GPU. Without one there are none to play."""

from typing import Any

import torch

from validation.harness.inside import gpu
from validation.harness.program import RecordEvent, Synchronize, UseStream, WaitEvent


class Streams:
    """`slow`: whatever runs on a stream of its own comes late, so that a missing wait shows."""

    def __init__(self, device: torch.device, *, slow: bool) -> None:
        cuda: Any = torch.cuda
        self._new_stream, self._new_event = cuda.Stream, cuda.Event
        self._there = device.type == "cuda"
        self._home: Any = torch.cuda.current_stream() if self._there else None
        self._slow = slow
        self._streams: dict[int, Any] = {0: self._home}
        self._events: dict[int, Any] = {}

    def _stream(self, number: int) -> Any:
        if number not in self._streams:
            self._streams[number] = self._new_stream()
        return self._streams[number]

    def use(self, instruction: UseStream) -> None:
        if self._there:
            torch.cuda.set_stream(self._stream(instruction.stream))

    def launching(self) -> None:
        """Called before each launch."""
        if self._there and self._slow and torch.cuda.current_stream() != self._home:
            gpu.delay()

    def record(self, instruction: RecordEvent) -> None:
        if self._there:
            event = self._events.setdefault(instruction.event, self._new_event())
            event.record(self._stream(instruction.stream))

    def wait(self, instruction: WaitEvent) -> None:
        if instruction.event in self._events:
            self._events[instruction.event].wait(self._stream(instruction.stream))

    def synchronize(self, instruction: Synchronize) -> None:
        if not self._there:
            return
        if instruction.event is not None:
            if instruction.event in self._events:
                self._events[instruction.event].synchronize()
        elif instruction.stream is not None:
            self._stream(instruction.stream).synchronize()
        else:
            torch.cuda.synchronize()

    def go_home(self) -> None:
        if self._there:
            torch.cuda.set_stream(self._home)
