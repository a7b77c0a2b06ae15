"""Replay of CUDA streams and events. Without a GPU, programs have none."""

from typing import Any, cast

import torch

from validation.harness.program import StreamAction
from validation.harness.worker import gpu


class ReplayedStreams:
    """Streams and events by number. `slow`: delay other streams, so that a missing wait shows."""

    def __init__(self, *, slow: bool) -> None:
        self._slow, cuda = slow, cast("Any", torch.cuda)
        self._new_stream, self._new_event = cuda.Stream, cuda.Event
        self._home: Any = torch.cuda.current_stream()
        self._streams: dict[int | None, Any] = {0: self._home}
        self._events: dict[int | None, Any] = {}

    def play(self, action: StreamAction) -> None:
        stream, event = self._stream(action.stream), self._events.get(action.event)
        if action.action == "use":
            torch.cuda.set_stream(stream)
        elif action.action == "record":
            if event is None:
                event = self._events[action.event] = self._new_event()
            event.record(stream)
        elif action.action == "wait" and event is not None:
            event.wait(stream)
        elif action.action == "synchronize":
            if action.event is None and action.stream is None:
                torch.cuda.synchronize()
            elif action.event is None:
                stream.synchronize()
            elif event is not None:
                event.synchronize()

    def _stream(self, number: int | None) -> Any:
        if number is not None and number not in self._streams:
            self._streams[number] = self._new_stream()
        return self._streams.get(number)

    def before_launch(self) -> None:
        if self._slow and torch.cuda.current_stream() != self._home:
            gpu.delay()

    def go_home(self) -> None:
        torch.cuda.set_stream(self._home)
