"""Recording of CUDA streams and events: a missing wait must be missing in the replay too."""

from collections.abc import Callable
from typing import Any

import torch


class RecordedStreams:
    """Streams and events of one recording, by number. Stream 0 is the caller's."""

    def __init__(self) -> None:
        is_used = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
        self._home = torch.cuda.current_stream() if is_used else None
        self._numbers: dict[Any, int] = {}
        self._events: dict[int, int] = {}
        # Keep events alive, so that no other event gets the same id.
        self._kept: list[Any] = []
        self._present = 0

    def stream(self, stream: Any) -> int:
        """Return the number of a stream. None stands for the current stream."""
        if stream is None:
            stream = torch.cuda.current_stream()
        if stream == self._home:
            return 0
        return self._numbers.setdefault(stream, len(self._numbers) + 1)

    def event(self, event: Any) -> int:
        self._kept.append(event)
        return self._events.setdefault(id(event), len(self._events))

    def changed(self) -> int | None:
        """Return the number of the current stream if it changed since the last call."""
        if self._home is None:
            return None
        number = self.stream(None)
        if number == self._present:
            return None
        self._present = number
        return number


def install(patch: Callable[[Any, str, Callable[..., Any]], None]) -> None:
    """Record streams and events by patching the five functions that all others in torch use."""

    def on_event(action: str) -> Callable[..., Any]:
        def call(recording: Any, original: Any, event: Any, stream: Any = None) -> Any:
            number = recording.streams.stream(stream)
            _emit(recording, action, recording.streams.event(event), number)
            return original(event, stream)

        return call

    def wait_for_event(recording: Any, original: Any, event: Any) -> Any:
        _emit(recording, "synchronize", recording.streams.event(event), None)
        return original(event)

    def wait_for_stream(recording: Any, original: Any, stream: Any) -> Any:
        _emit(recording, "synchronize", None, recording.streams.stream(stream))
        return original(stream)

    def wait_for_device(recording: Any, original: Any, device: Any = None) -> Any:
        _emit(recording, "synchronize", None, None)
        return original(device)

    patch(torch.cuda.Event, "record", on_event("record"))
    patch(torch.cuda.Event, "wait", on_event("wait"))
    patch(torch.cuda.Event, "synchronize", wait_for_event)
    patch(torch.cuda.Stream, "synchronize", wait_for_stream)
    patch(torch.cuda, "synchronize", wait_for_device)


def _emit(recording: Any, action: str, event: int | None, stream: int | None) -> None:
    recording.emit(do="stream", action=action, event=event, stream=stream)
