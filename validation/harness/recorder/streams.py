"""CUDA streams and events as instructions: a missing wait must be missing in the replay too."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from validation.harness.recorder.recording import Recording

Present = Callable[[], "Recording | None"]


class Streams:
    """The streams of one recording, by number. 0 is the caller's."""

    def __init__(self) -> None:
        self._home = torch.cuda.current_stream() if in_use() else None
        self._numbers: dict[Any, int] = {}
        self._events: dict[int, int] = {}
        self._kept: list[Any] = []
        self._present = 0

    def number(self, stream: Any) -> int:
        if stream is None:
            stream = torch.cuda.current_stream()
        if stream == self._home:
            return 0
        self._kept.append(stream)
        return self._numbers.setdefault(stream, len(self._numbers) + 1)

    def event(self, event: Any) -> int:
        self._kept.append(event)
        return self._events.setdefault(id(event), len(self._events))

    def changed(self) -> int | None:
        """Return the present stream's number if it is another than at the last look."""
        if self._home is None:
            return None
        number = self.number(None)
        if number == self._present:
            return None
        self._present = number
        return number


def in_use() -> bool:
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def install(present: Present) -> None:
    """Have what streams and events are told come by. All of torch's ways lead through these."""
    cuda: Any = torch.cuda
    event, stream = cuda.Event, cuda.Stream

    def record(self: Any, onto: Any = None) -> Any:
        if (recording := present()) is not None:
            streams = recording.streams
            recording.emit(do="record", event=streams.event(self), stream=streams.number(onto))
        return original_record(self, onto)

    def wait(self: Any, waiting: Any = None) -> Any:
        if (recording := present()) is not None:
            streams = recording.streams
            recording.emit(do="wait", event=streams.event(self), stream=streams.number(waiting))
        return original_wait(self, waiting)

    def synchronize_event(self: Any) -> Any:
        if (recording := present()) is not None:
            recording.emit(do="synchronize", event=recording.streams.event(self), stream=None)
        return original_event(self)

    def synchronize_stream(self: Any) -> Any:
        if (recording := present()) is not None:
            recording.emit(do="synchronize", event=None, stream=recording.streams.number(self))
        return original_stream(self)

    def synchronize(device: Any = None) -> Any:
        if (recording := present()) is not None:
            recording.emit(do="synchronize", event=None, stream=None)
        return original_device(device)

    original_record, original_wait = event.record, event.wait
    original_event, original_stream = event.synchronize, stream.synchronize
    original_device = cuda.synchronize
    event.record, event.wait = record, wait
    event.synchronize, stream.synchronize = synchronize_event, synchronize_stream
    cuda.synchronize = synchronize
