"""Recording of CUDA streams and events, so that a missing wait is missing in the replay too."""

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
    """Record streams and events by patching the five functions that torch's others call."""

    def record(owner: Any, action: str, *, of_event: bool, of_stream: bool) -> None:
        def call(recording: Any, original: Any, *given: Any, **named: Any) -> Any:
            stream = named.get("stream", given[-1] if len(given) > of_event else None)
            recording.emit(
                do="stream",
                action=action,
                event=recording.streams.event(given[0]) if of_event else None,
                stream=recording.streams.stream(stream) if of_stream else None,
            )
            return original(*given, **named)

        patch(owner, action, call)

    record(torch.cuda.Event, "record", of_event=True, of_stream=True)
    record(torch.cuda.Event, "wait", of_event=True, of_stream=True)
    record(torch.cuda.Event, "synchronize", of_event=True, of_stream=False)
    record(torch.cuda.Stream, "synchronize", of_event=False, of_stream=True)
    record(torch.cuda, "synchronize", of_event=False, of_stream=False)
